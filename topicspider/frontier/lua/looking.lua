-- What somebody beside the crawl may see. Nothing here changes anything, and each call looks at a bounded part.
local function seconds_left(at)
    return exact(math.max(0, at - now))
end

local function host_row(host)
    local lease = lease_of(host.id)
    local top = redis.call('ZRANGE', queue_key(host.id), 0, 0, 'WITHSCORES')
    local dying = redis.call('HGET', DYING, host.id)
    return {
        host.name, redis.call('ZCARD', queue_key(host.id)), lease and #lease.marks / 8 or 0, tonumber(dying or 0), host.pages,
        top[2] or '', seconds_left(host.ready_at), exact(delay_of(host.id)), is_blocked(host.id) and 1 or 0,
        exact(host.connect), exact(host.response), told_requests(host),
    }
end

-- Some hosts by their numbers; returns the next one's number, 0 at the end.
function operations.hosts(arguments)
    now = time_now()
    local first, rows = tonumber(arguments[1]), {}
    local last = math.min(totals.hosts, first + tonumber(arguments[2]) - 1)
    for number = first, last do
        local host = load_host(string.format('%d', number))
        rows[#rows + 1] = host and host_row(host) or nil
    end
    return { place_in_time(), last < totals.hosts and last + 1 or 0, rows }
end

function operations.host(arguments)
    now = time_now()
    local host = host_named(arguments[1])
    return { place_in_time(), host and host_row(host) or false }
end

-- Marks and scores of the best (top) or worst queued URLs of some hosts, none beyond ``bound``, minus a score in millionths.
-- Best: ``first`` counts hosts by their best URL, and the end is where no other host has better; worst: it is a host's number.
function operations.ends(arguments)
    local is_top, first, count = arguments[1] == 'top', tonumber(arguments[2]), tonumber(arguments[3])
    local limit, bound = tonumber(arguments[4]), arguments[5]
    local ids, found, following = {}, {}, first + count
    if is_top then
        ids = redis.call('ZRANGEBYSCORE', BEST, '-inf', bound, 'LIMIT', first, count)
        following = #ids < count and -1 or following
    else
        for number = first, math.min(totals.hosts, first + count - 1) do
            ids[#ids + 1] = string.format('%d', number)
        end
        following = following > totals.hosts and -1 or following
    end
    for _, id in ipairs(ids) do
        local lease = lease_of(id)
        local wanted = limit + (lease and #lease.marks / 8 or 0)
        local some
        if is_top then
            some = redis.call('ZRANGEBYSCORE', queue_key(id), '-inf', bound, 'WITHSCORES', 'LIMIT', 0, wanted)
        else
            some = redis.call('ZREVRANGEBYSCORE', queue_key(id), '+inf', bound, 'WITHSCORES', 'LIMIT', 0, wanted)
        end
        for index = 1, #some, 2 do
            if #some[index] == 8 and not (lease and position_in(lease, some[index])) then
                found[#found + 1] = some[index]
                found[#found + 1] = some[index + 1]
            end
        end
    end
    return { place_in_time(), following, found }
end

-- The host, the mark, minus the score, the attempts and the client's text of a URL that is queued or leased, else nothing.
local function told_of(mark)
    local id, attempts, more, first = find(mark)
    local host = id and load_host(id)
    local minus = host and redis.call('ZSCORE', queue_key(id), mark)
    return minus and { host.name, mark, minus, attempts, packed_of(mark, more, first) } or nil
end

local function told_of_all(marks)
    local told = {}
    for start = 1, #marks, 8 do
        told[#told + 1] = told_of(string.sub(marks, start, start + 7))
    end
    return told
end

function operations.entries(arguments)
    return { place_in_time(), told_of_all(arguments[1]) }
end

function operations.leases()
    now = time_now()
    local all, found = redis.call('HGETALL', LEASES), {}
    for index = 1, #all, 2 do
        local host, lease = load_host(all[index]), lease_of(all[index])
        if host then
            found[#found + 1] = { host.name, lease.node, seconds_left(lease.ends), told_of_all(lease.marks) }
        end
    end
    return { place_in_time(), found }
end
