-- Leasing hosts, best first, and how things stand after it.
local function best_ready()
    return redis.call('ZRANGE', READY, 0, 0)[1]
end

-- By chance another than the best; what is held counts as ready in the draw, as in every frontier.
local function explored(shifts)
    local held = redis.call('ZRANGE', HELD, 0, -1, 'WITHSCORES')
    local count = redis.call('ZCARD', READY) + #held / 2
    local at = explored_place(totals.tokens + 1, count, shifts, totals.exploration)
    if at == 0 then
        return nil
    end
    local is_held = {}
    for index = 1, #held, 2 do
        is_held[held[index]] = redis.call('ZADD', READY, 'NX', held[index + 1], held[index]) == 1
    end
    local chosen = redis.call('ZRANGE', READY, at, at)[1]
    for member, is_added in pairs(is_held) do
        if is_added then
            redis.call('ZREM', READY, member)
        end
    end
    return not is_held[chosen] and chosen or nil
end

local function next_host(shifts)
    local member = totals.exploration > 0 and explored(shifts) or best_ready()
    if not member then
        return nil
    end
    local host = load_host(string.sub(member, 9))
    if not host then
        redis.call('ZREM', READY, member) -- somebody deleted keys: the next one
        return next_host(shifts)
    end
    return host
end

-- A URL without a readable record is counted as dead and dropped: nothing is known of it but its mark.
local function drop_unreadable(host, mark)
    bury(host, mark, 0, 'unreadable', 0, '')
    if #mark == 8 then
        remove(host, mark)
    else
        redis.call('ZREM', queue_key(host.id), mark) -- no member of ours
    end
end

-- Marks of the best URLs, and of each its mark, minus its score in millionths, its attempts and the client's text.
local function best_urls(host, count)
    local top = redis.call('ZRANGE', queue_key(host.id), 0, count - 1, 'WITHSCORES')
    local marks, told = {}, {}
    for index = 1, #top, 2 do
        local mark = top[index]
        local id, attempts, more, first = find(mark)
        if id == host.id then
            marks[#marks + 1] = mark
            told[#told + 1] = mark
            told[#told + 1] = top[index + 1]
            told[#told + 1] = attempts
            told[#told + 1] = packed_of(mark, more, first)
        else
            drop_unreadable(host, mark)
        end
    end
    return table.concat(marks), told
end

local function lease_hosts(node, hosts, urls, seconds, shifts)
    local leases = {}
    while #leases < hosts do
        local count = room(urls)
        local host = count > 0 and next_host(shifts)
        if not host then
            break
        end
        local marks, told = best_urls(host, host_room(host.pages, count))
        if #marks == 0 then
            host.is_stale = true
            place(host)
        else
            grant(host, node, marks, seconds)
            leases[#leases + 1] = { host.name, totals.tokens, told }
        end
    end
    return leases
end

-- Seconds till the first host that is not leased has rested, "" when there is none.
local function rest_ends_in()
    local from = 0
    while true do
        local some = redis.call('ZRANGE', RESTING, from, from + 9, 'WITHSCORES')
        for index = 1, #some, 2 do
            if not is_leased(some[index]) then
                return exact(some[index + 1] - now)
            end
        end
        if #some < 20 then
            return ''
        end
        from = from + 10
    end
end

-- Seconds till the first lease ends, when a leased host that is not blocked has more URLs than are leased; else "".
local function lease_ends_in()
    local all = redis.call('HGETALL', LEASES)
    for index = 1, #all, 2 do
        local lease = lease_of(all[index])
        if not is_blocked(all[index]) and redis.call('ZCARD', queue_key(all[index])) > #lease.marks / 8 then
            return exact(redis.call('ZRANGE', ENDS, 0, 0, 'WITHSCORES')[2] - now)
        end
    end
    return ''
end

-- Whether a blocked host that may give more has more URLs than are leased.
local function is_blocked_left()
    if totals.blocked == 0 or totals.waiting == totals.leased then
        return false
    end
    for _, id in ipairs(redis.call('SMEMBERS', BLOCKED)) do
        local host, lease = load_host(id), lease_of(id)
        local leased = lease and #lease.marks / 8 or 0
        if host and host_room(host.pages, 1) > 0 and redis.call('ZCARD', queue_key(id)) > leased then
            return true
        end
    end
    return false
end

-- room, whether a host is ready, till the first rest is over, till the first lease ends, whether blocked hosts are left
local function standing()
    local left = room(1)
    if left == 0 then
        return { 0, 0, '', '', 0 }
    end
    if redis.call('ZCARD', READY) > 0 then
        return { left, 1, '', '', 0 }
    end
    local rest = rest_ends_in()
    local lease = rest == '' and lease_ends_in() or ''
    return { left, 0, rest, lease, rest == '' and lease == '' and is_blocked_left() and 1 or 0 }
end

-- Nothing is given while leases may be out that the server has forgotten (see opening.lua).
local function acquire(node, hosts, urls, seconds, shifts)
    expire()
    wake_rested()
    if now < totals.quiet then
        return {}, standing(), exact(totals.quiet - now)
    end
    return lease_hosts(node, hosts, urls, seconds, shifts), standing(), ''
end
