-- What is due in a shard, in the order of the keys. KEYS: waiting, ready. ARGV: now, after (or ''), limit, what the
-- names of documents begin with. Answers {1 if there may be more, key, etag, key, etag, ...}.
--
-- 'waiting' is sorted by time and 'ready' by key. What has become due moves from the one to the other, so that a page
-- costs what is on it and not all that is due. A save never touches 'ready': the ETag of a document ends with the time
-- from which it is due, and so says whether it still belongs there.
local waiting, ready = KEYS[1], KEYS[2]
local now, limit, documents = ARGV[1], tonumber(ARGV[3]), ARGV[4]
local step = 500
repeat
  local come = redis.call('ZRANGEBYSCORE', waiting, '-inf', now, 'LIMIT', 0, step)
  if #come > 0 then
    local scored = {}
    for _, key in ipairs(come) do
      scored[#scored + 1] = 0
      scored[#scored + 1] = key
    end
    redis.call('ZADD', ready, unpack(scored))
    redis.call('ZREM', waiting, unpack(come))
  end
until #come < step

local answer, found = {0}, 0
local page = math.min(step, limit + 1)
local from = '-'
if ARGV[2] ~= '' then from = '(' .. ARGV[2] end
repeat
  local keys = redis.call('ZRANGEBYLEX', ready, from, '+', 'LIMIT', 0, page)
  for _, key in ipairs(keys) do
    if found == limit then
      answer[1] = 1
      return answer
    end
    -- A document that is none of ours must not keep the others from being found.
    local etag = redis.pcall('HGET', documents .. key, 'etag')
    if type(etag) ~= 'table' then
      local due = etag and string.match(etag, '@(%d+)$')
      if not due then
        redis.call('ZREM', ready, key)
      elseif tonumber(due) > tonumber(now) then
        redis.call('ZADD', waiting, due, key)
        redis.call('ZREM', ready, key)
      else
        found = found + 1
        answer[#answer + 1] = key
        answer[#answer + 1] = etag
      end
    end
  end
  if #keys > 0 then from = '(' .. keys[#keys] end
until #keys < page
return answer
