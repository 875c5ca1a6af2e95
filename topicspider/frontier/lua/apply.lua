-- What one flush tells: timings, revisions, entries, promotions, completions, in that order, as one transaction.
local PAGE, NO_PAGE, FAILED, RELEASED, UNREADABLE = 0, 1, 2, 3, 4

-- The hosts that the work names, each looked up when it is first needed.
local function named_hosts(packed)
    local names, ties, found, from, count = {}, {}, {}, 1, 0
    while from <= #packed do
        names[count], ties[count], from = struct.unpack('>I4c0c8', packed, from)
        count = count + 1
    end
    return function(index, is_wanted)
        local host = found[index] or host_named(names[index])
        if not host and is_wanted then
            host = make_host(names[index], ties[index])
        end
        found[index] = host
        return host
    end
end

local function learn_timings(packed, host_at)
    local from = 1
    while from <= #packed do
        local index, rest, connect, response
        index, rest, connect, response, from = struct.unpack('>I4ddd', packed, from)
        learn_timing(host_at(index, true), rest, connect, response)
    end
end

local function rescore(mark, minus, only_higher)
    local id = find(mark)
    local before = id and tonumber(redis.call('ZSCORE', queue_key(id), mark))
    if not before or minus == before or (only_higher and minus > before) then
        return
    end
    redis.call('ZADD', queue_key(id), minus, mark)
    touch(load_host(id))
end

local function rescore_all(packed, only_higher)
    local from = 1
    while from <= #packed do
        local mark, minus
        mark, minus, from = struct.unpack('>c8d', packed, from)
        rescore(mark, minus, only_higher)
    end
end

local function queue(host, mark, minus, attempts, packed)
    if queue_length(host) == 0 then
        host.entered = totals.flushes
    end
    host.length = host.length + 1
    redis.call('ZADD', queue_key(host.id), minus, mark)
    put_record(mark, host.id, attempts, packed)
    totals.waiting = totals.waiting + 1
    touch(host)
end

local function add_entries(packed, host_at)
    local from, new = 1, 0
    while from <= #packed do
        local mark, index, minus, attempts, member, text
        mark, index, minus, attempts, member, text, from = struct.unpack('>c8I4dI4Bc0I4c0', packed, from)
        if redis.call('SADD', seen_key(mark), member) == 1 then
            queue(host_at(index, true), mark, minus, attempts, text)
            new = new + 1
        else
            rescore(mark, minus, true)
        end
    end
    return new
end

local function remove(host, mark)
    redis.call('ZREM', queue_key(host.id), mark)
    drop_record(mark)
    totals.waiting = totals.waiting - 1
end

local function bury(host, mark, reason, attempts, packed)
    local note = struct.pack('>I4I4c0I4c0', attempts, #reason, reason, #host.name, host.name)
    redis.call('LPUSH', DEAD, note .. packed)
    totals.dead = totals.dead + 1
end

local function fail(host, mark, reason, is_final)
    local id, attempts, more, first = find(mark)
    attempts = (attempts or 0) + 1
    if id and not is_final and attempts < totals.attempts then
        set_attempts(mark, id, attempts, more, first)
        return
    end
    bury(host, mark, reason, attempts, id and packed_of(mark, more, first) or '')
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

local function complete_all(packed, host_at)
    local from = 1
    while from <= #packed do
        local index, mark, epoch, number, ending, reason
        index, mark, epoch, number, ending, reason, from = struct.unpack('>I4c8dI4BHc0', packed, from)
        local host = host_at(index, false)
        if host and take_out(host, mark, epoch, number) then
            complete(host, mark, ending, reason)
        end
    end
    save_changed_leases()
end

local function apply(hosts, timings, revisions, entries, promotions, completions)
    totals.flushes = totals.flushes + 1
    local host_at = named_hosts(hosts)
    learn_timings(timings, host_at)
    rescore_all(revisions, false)
    local new = add_entries(entries, host_at)
    rescore_all(promotions, true)
    complete_all(completions, host_at)
    place_touched()
    return new
end
