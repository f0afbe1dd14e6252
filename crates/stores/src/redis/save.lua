-- Writes a document if its condition holds. KEYS: document, and the shard's 'waiting' if the index changes.
-- ARGV: the ETag that it must have or '' for "there is none", the new ETag, the body; and if the index changes the
-- time or '' for none, and the key. Answers 1, or 0 on conflict, or -1 when the document is none of ours.
local etag = redis.call('HGET', KEYS[1], 'etag')
if not etag and redis.call('EXISTS', KEYS[1]) == 1 then return -1 end
if (etag or '') ~= ARGV[1] then return 0 end
-- The index first: a set that is none of ours ends the script here, before the document has changed.
if not KEYS[2] then
  -- Nothing waited and nothing waits.
elseif ARGV[4] == '' then
  redis.call('ZREM', KEYS[2], ARGV[5])
else
  redis.call('ZADD', KEYS[2], ARGV[4], ARGV[5])
end
redis.call('HSET', KEYS[1], 'etag', ARGV[2], 'body', ARGV[3])
return 1
