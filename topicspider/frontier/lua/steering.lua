-- What somebody beside the crawl may change.

-- ARGV: hosts (packed), 1 to block and 0 to unblock; returns how many changed.
function operations.block(arguments)
    look_at_the_clock()
    local host_at, _, count = named_hosts(arguments[1])
    local changed = 0
    for index = 0, count - 1 do
        local host = host_at(index, true)
        changed = changed + set_blocked(host.id, arguments[2] == '1')
        place(host)
    end
    save_totals()
    return { place_in_time(), changed }
end

-- ARGV: hosts (packed), seconds.
function operations.delay(arguments)
    look_at_the_clock()
    local host_at, _, count = named_hosts(arguments[1])
    for index = 0, count - 1 do
        local host = host_at(index, true)
        set_delay(host.id, tonumber(arguments[2]))
        save_host(host)
    end
    save_totals()
    return { place_in_time() }
end

local function revive(mark, note)
    local minus, _, _, name, last = struct.unpack(NOTE, note)
    local packed = string.sub(note, last)
    local host = host_named(name)
    if #packed == 0 or #mark ~= 8 or not host then
        return 0 -- nothing is known of it but its mark
    end
    redis.call('ZREM', DIED, mark)
    redis.call('HDEL', GRAVES, mark)
    redis.call('HINCRBY', DYING, host.id, -1)
    totals.dead = totals.dead - 1
    queue(host, mark, minus, 0, packed)
    note_gone(host, mark)
    return 1
end

local function revive_all(marks)
    look_at_the_clock()
    totals.flushes = totals.flushes + 1
    local revived = 0
    for _, told in ipairs(with_notes(marks)) do
        revived = revived + revive(told[1], told[2])
    end
    place_touched()
    save_totals()
    return revived
end

-- ARGV: marks.
function operations.revive(arguments)
    local marks = {}
    for start = 1, #arguments[1], 8 do
        marks[#marks + 1] = string.sub(arguments[1], start, start + 7)
    end
    return { place_in_time(), revive_all(marks) }
end

-- ARGV: after which death, how many, and up to which death (0: the last there is by now); returns how many came back, the
-- last death that was looked at ("" at the end), and up to which it goes.
function operations.revive_from(arguments)
    local up_to = tonumber(arguments[3]) > 0 and tonumber(arguments[3]) or totals.deaths
    local some = redis.call('ZRANGEBYSCORE', DIED, '(' .. arguments[1], up_to, 'WITHSCORES', 'LIMIT', 0, tonumber(arguments[2]))
    local marks = {}
    for index = 1, #some, 2 do
        marks[#marks + 1] = some[index]
    end
    local revived = revive_all(marks)
    return { place_in_time(), revived, some[#some] or '', up_to }
end

-- Forgets everything, unless a lease is out that is not over: returns 0 then.
function operations.clear_at_rest()
    if #redis.call('ZRANGEBYSCORE', ENDS, '(' .. exact(time_now()), '+inf', 'LIMIT', 0, 1) > 0 then
        return { place_in_time(), 0 }
    end
    operations.clear()
    return { place_in_time(), 1 }
end
