-- Dead letters: URLs that were given up after their last attempt.
-- Needs: state, storage.

-- Keys: for each dead URL key its note, and the order of the deaths.
local DEAD_NOTES, DEAD_ORDER = PREFIX .. 'graves', PREFIX .. 'died'
local NOTE = '>dI4I4c0I4c0' -- minus the score (millionths), attempts, reason, host; then the client's packed text

local function dead_letter(host, url_key, minus, reason, attempts, packed)
    local note = struct.pack(NOTE, minus, attempts, #reason, reason, #host.name, host.name)
    redis.call('HSET', DEAD_NOTES, url_key, note .. packed)
    totals.deaths = totals.deaths + 1
    if redis.call('ZADD', DEAD_ORDER, totals.deaths, url_key) == 1 then
        totals.dead = totals.dead + 1
        host.dead = host.dead + 1
        touch(host)
    end
end

local function with_notes(url_keys)
    local notes = #url_keys > 0 and redis.call('HMGET', DEAD_NOTES, unpack(url_keys)) or {}
    local found = {}
    for index, url_key in ipairs(url_keys) do
        if notes[index] then
            found[#found + 1] = { url_key, notes[index] }
        end
    end
    return found
end

-- ``count`` dead letters from position ``first``, newest first.
local function dead_from(first, count)
    return with_notes(redis.call('ZREVRANGE', DEAD_ORDER, first, first + count - 1))
end
