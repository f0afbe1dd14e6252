-- Writes documents if every condition holds, else none of them.
-- For each write two KEYS (document, waiting) and five ARGV (condition, etag, body, due, key).
-- A condition is '' for "there is none" or '=' and the ETag. Answers 1, or 0 on conflict, or minus the number of
-- the write whose document is none of ours.
local writes = #KEYS / 2
local waited = {}
for i = 1, writes do
  local document = KEYS[2 * i - 1]
  local found = redis.call('HMGET', document, 'etag', 'due')
  local state = ''
  if found[1] then
    state = '=' .. found[1]
  elseif redis.call('EXISTS', document) == 1 then
    return -i
  end
  if state ~= ARGV[5 * i - 4] then return 0 end
  waited[i] = found[2] and found[2] ~= ''
end
-- The index first: a sorted set that is none of ours ends the script here, before any document has changed.
for i = 1, writes do
  local due = ARGV[5 * i - 1]
  if due ~= '' then
    redis.call('ZADD', KEYS[2 * i], due, ARGV[5 * i])
  elseif waited[i] then
    redis.call('ZREM', KEYS[2 * i], ARGV[5 * i])
  end
end
for i = 1, writes do
  redis.call('HSET', KEYS[2 * i - 1], 'etag', ARGV[5 * i - 3], 'body', ARGV[5 * i - 2], 'due', ARGV[5 * i - 1])
end
return 1
