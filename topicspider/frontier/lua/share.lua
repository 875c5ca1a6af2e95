-- The pages that one part of a spread crawl may still give, of the limit for all parts (see shares.py).
-- ARGV: "freeze" or "add", the number of the allotment, and for "add" how many pages.
-- An allotment freezes every part, then gives each what it adds; one that a later allotment has overtaken adds nothing.
local TOTALS = KEYS[1]
local READY = string.sub(TOTALS, 1, -(#'totals') - 1) .. 'ready'

local function number(name)
    return tonumber(redis.call('HGET', TOTALS, name) or 0) or 0
end

local allotment = tonumber(ARGV[2])
if ARGV[1] == 'add' then
    if allotment ~= number('allotment') then
        return 0
    end
    redis.call('HSET', TOTALS, 'max_pages', string.format('%d', number('max_pages') + tonumber(ARGV[3])))
    return 1
end
if allotment <= number('allotment') then
    return false
end
local used = number('pages') + number('leased')
redis.call('HSET', TOTALS, 'allotment', ARGV[2], 'max_pages', string.format('%d', used))
return { used, number('waiting') - number('leased'), redis.call('ZCARD', READY) }
