-- What was given up: of each mark a note, and the order in which they died.
local GRAVES, DIED, DYING = PREFIX .. 'graves', PREFIX .. 'died', PREFIX .. 'dying' -- the last: of each host how many
local NOTE = '>dI4I4c0I4c0' -- minus the score, attempts, reason, host; then the client's text

local function bury(host, mark, minus, reason, attempts, packed)
    local note = struct.pack(NOTE, minus, attempts, #reason, reason, #host.name, host.name)
    redis.call('HSET', GRAVES, mark, note .. packed)
    totals.deaths = totals.deaths + 1
    if redis.call('ZADD', DIED, totals.deaths, mark) == 1 then
        totals.dead = totals.dead + 1
        redis.call('HINCRBY', DYING, host.id, 1)
    end
end

local function with_notes(marks)
    local notes = #marks > 0 and redis.call('HMGET', GRAVES, unpack(marks)) or {}
    local found = {}
    for index, mark in ipairs(marks) do
        if notes[index] then
            found[#found + 1] = { mark, notes[index] }
        end
    end
    return found
end

-- Newest first.
local function dead_from(first, count)
    return with_notes(redis.call('ZREVRANGE', DIED, first, first + count - 1))
end
