-- Writes documents, each if its own condition holds, whatever becomes of the others. KEYS: the documents, then a
-- 'waiting' for each that changes the index, in order. ARGV: five for each as for one, where '-' for a time leaves the
-- index alone. Nothing here may end the script: what was written before would stay. Answers for each 1, 0 or -1 as for one, or -2 when the server refused: then its document is as it was.
local function write(document, waiting, first)
  local etag = redis.pcall('HGET', document, 'etag')
  if type(etag) == 'table' then return -2 end
  if not etag then
    local others = redis.pcall('EXISTS', document)
    if others ~= 0 then return type(others) == 'table' and -2 or -1 end
  end
  if (etag or '') ~= ARGV[first] then return 0 end
  if waiting then
    local due, key, done = ARGV[first + 3], ARGV[first + 4], nil
    if due == '' then
      done = redis.pcall('ZREM', waiting, key)
    else
      done = redis.pcall('ZADD', waiting, due, key)
    end
    if type(done) == 'table' then return -2 end
  end
  local done = redis.pcall('HSET', document, 'etag', ARGV[first + 1], 'body', ARGV[first + 2])
  if type(done) == 'table' then return -2 end
  return 1
end

local writes = #ARGV / 5
local answer, waiting = {}, writes
for i = 1, writes do
  local first = 5 * i - 4
  if ARGV[first + 3] == '-' then
    answer[i] = write(KEYS[i], nil, first)
  else
    waiting = waiting + 1
    answer[i] = write(KEYS[i], KEYS[waiting], first)
  end
end
return answer
