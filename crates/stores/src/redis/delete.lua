-- Removes a document if it still has its ETag. KEYS: document, waiting. ARGV: ETag, key. Answers as save does.
local etag = redis.call('HGET', KEYS[1], 'etag')
if not etag then return -redis.call('EXISTS', KEYS[1]) end
if etag ~= ARGV[1] then return 0 end
redis.call('ZREM', KEYS[2], ARGV[2])
redis.call('DEL', KEYS[1])
return 1
