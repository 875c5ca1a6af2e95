-- What one flush tells: timings, revisions, entries, promotions, completions, in that order, as one transaction.
local PAGE, NO_PAGE, FAILED, RELEASED, UNREADABLE = 0, 1, 2, 3, 4
-- Ends that an earlier run of the server had confirmed, and may have forgotten together with the lease.
local TOLD_AGAIN = { [5] = PAGE, [6] = NO_PAGE }

-- The hosts that the work names, by their places in it: numbers at once, what is known of them when it is needed.
-- How many, then the names, then their places among equals, 8 bytes each.
local function named_hosts(packed)
    local count, from = 0, 1
    if #packed > 0 then
        count, from = struct.unpack('>I4', packed)
    end
    local names, ids = {}, {}
    for first = 1, count, AT_ONCE do
        local last = math.min(count, first + AT_ONCE - 1)
        local some = { struct.unpack('>' .. string.rep('I4c0', last - first + 1), packed, from) }
        from = table.remove(some)
        local numbers = redis.call('HMGET', NAMES, unpack(some))
        for place = 1, #some do
            names[first + place - 1], ids[first + place - 1] = some[place], numbers[place]
        end
    end
    local function tie_at(index)
        return string.sub(packed, from + 8 * index, from + 8 * index + 7)
    end
    local function host_at(index, is_wanted)
        local id = ids[index + 1]
        local host = id and load_host(id)
        if not host and is_wanted then
            host = make_host(names[index + 1], tie_at(index))
            ids[index + 1] = host.id
        end
        return host
    end
    local function id_at(index)
        return ids[index + 1]
    end
    return host_at, id_at, count
end

local function learn_timings(packed, host_at)
    local from = 1
    while from <= #packed do
        local index, rest, connect, response, requests
        index, rest, connect, response, requests, from = struct.unpack('>I4dddB', packed, from)
        learn_timing(host_at(index, true), rest, connect, response, requests)
    end
end

local function rescore(mark, minus, only_higher)
    local id = find(mark)
    local before = id and tonumber(redis.call('ZSCORE', queue_key(id), mark))
    if not before or minus == before or (only_higher and minus > before) then
        return
    end
    redis.call('ZADD', queue_key(id), minus, mark)
    note_rescored(load_host(id), minus, before)
end

local function rescore_all(packed, only_higher)
    local from = 1
    while from <= #packed do
        local mark, minus
        mark, minus, from = struct.unpack('>c8d', packed, from)
        rescore(mark, minus, only_higher)
    end
end

local function remove(host, mark)
    note_gone(host, mark)
    redis.call('ZREM', queue_key(host.id), mark)
    drop_record(mark)
    totals.waiting = totals.waiting - 1
end

local function fail(host, mark, reason, is_final)
    local id, attempts, more, first = find(mark)
    attempts = (attempts or 0) + 1
    if id and not is_final and attempts < totals.attempts then
        set_attempts(mark, id, attempts, more, first)
        return
    end
    local minus = tonumber(redis.call('ZSCORE', queue_key(host.id), mark)) or 0
    bury(host, mark, minus, reason, attempts, id and packed_of(mark, more, first) or '')
    remove(host, mark)
end

local function complete(host, mark, ending, reason)
    touch(host)
    if ending == RELEASED then
        return
    end
    host.entered = totals.flushes
    if ending == FAILED or ending == UNREADABLE then
        fail(host, mark, reason, ending == UNREADABLE)
        return
    end
    remove(host, mark)
    totals.done = totals.done + 1
    if ending == PAGE then
        totals.pages = totals.pages + 1
        host.pages = host.pages + 1
    end
end

-- Not done, and not leased to anybody.
local function is_queued(host, mark)
    local lease = lease_of(host.id)
    return find(mark) == host.id and not (lease and position_in(lease, mark))
end

local function complete_all(packed, host_at)
    local from = 1
    while from <= #packed do
        local index, mark, epoch, number, ending, reason
        index, mark, epoch, number, ending, reason, from = struct.unpack('>I4c8dI4BHc0', packed, from)
        local host = host_at(index, false)
        local again = TOLD_AGAIN[ending]
        local is_fetched = ending == PAGE or ending == NO_PAGE
        if host and (take_out(host, mark, epoch, number, is_fetched) or (again and is_queued(host, mark))) then
            complete(host, mark, again or ending, reason)
        end
    end
    save_changed_leases()
end

local function apply(hosts, timings, revisions, entries, promotions, completions)
    totals.flushes = totals.flushes + 1
    local host_at, id_at = named_hosts(hosts)
    learn_timings(timings, host_at)
    rescore_all(revisions, false)
    local new = add_entries(entries, host_at, id_at)
    rescore_all(promotions, true)
    complete_all(completions, host_at)
    place_touched()
    return new
end
