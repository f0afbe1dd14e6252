-- Writes documents if every condition holds, else none of them. For each two KEYS (document, waiting) and five ARGV,
-- as for one, where '-' for a time leaves the index alone. Answers 1, or 0 on conflict, or minus the number of the write whose document is none of ours.
local writes = #KEYS / 2
for i = 1, writes do
  local document = KEYS[2 * i - 1]
  local etag = redis.call('HGET', document, 'etag')
  if not etag and redis.call('EXISTS', document) == 1 then return -i end
  if (etag or '') ~= ARGV[5 * i - 4] then return 0 end
end
-- The index first: a set that is none of ours ends the script here, before any document has changed.
for i = 1, writes do
  local due = ARGV[5 * i - 1]
  if due == '' then
    redis.call('ZREM', KEYS[2 * i], ARGV[5 * i])
  elseif due ~= '-' then
    redis.call('ZADD', KEYS[2 * i], due, ARGV[5 * i])
  end
end
for i = 1, writes do
  redis.call('HSET', KEYS[2 * i - 1], 'etag', ARGV[5 * i - 3], 'body', ARGV[5 * i - 2])
end
return 1
