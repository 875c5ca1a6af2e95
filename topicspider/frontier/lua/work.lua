-- Applies the work that a call reports, as one transaction, and then leases hosts.
-- Needs: state, storage, leases, dead_letters, eviction.

local function queue(host, url_key, minus, attempts, packed)
    if host.where == NOWHERE and redis.call('ZCARD', queue_key(host.id)) == 0 then
        host.entered = totals.flushes
    end
    redis.call('ZADD', queue_key(host.id), minus, url_key)
    put_record(url_key, host.id, attempts, packed)
    totals.waiting = totals.waiting + 1
    touch(host)
end

local function rescore(url_key, minus, only_higher)
    local id = find(url_key)
    local before = id and tonumber(redis.call('ZSCORE', queue_key(id), url_key))
    if not before or minus == before or (only_higher and minus > before) then
        return
    end
    redis.call('ZADD', queue_key(id), minus, url_key)
    touch(load_host(id))
end

local function rescore_all(packed, only_higher)
    for url_key, minus in each('>c8d', packed) do
        rescore(url_key, minus, only_higher)
    end
end

-- Entries, of each: URL key, member of the seen-set, minus the score, its host's index, attempts, the client's packed text.
-- An unknown URL is queued; a queued one with a lower score rises.
local LINK = '>c8Bc0dI4I4I4c0'

local function add_entries(packed, host_at)
    local new = 0
    for url_key, member, minus, index, attempts, text in each(LINK, packed) do
        if redis.call('SADD', seen_key(url_key), member) == 1 then
            queue(host_at(index, true), url_key, minus, attempts, text)
            new = new + 1
        else
            rescore(url_key, minus, true)
        end
    end
    make_room(new)
    return new
end

-- The parts of a flush, applied in this order as one transaction: timings, revisions, entries, promotions, completions.
local PAGE, NO_PAGE, FAILED, RELEASED = 0, 1, 2, 3
-- Ends reported again: an earlier run of the server had confirmed them, and may have forgotten them together with the lease.
local TOLD_AGAIN = { [5] = PAGE, [6] = NO_PAGE }

-- Reads the packed hosts of a work: their number, then name and tie of each. The work names a host by its index in that list.
local function named_hosts(packed)
    local count, from = 0, 1
    if #packed > 0 then
        count, from = struct.unpack('>I4', packed)
    end
    local names, ties = {}, {}
    for place = 1, count do
        names[place], ties[place], from = struct.unpack('>I4c0c8', packed, from)
    end
    local function host_at(index, is_wanted)
        local name = names[index + 1]
        return host_named(name) or (is_wanted and make_host(name, ties[index + 1]) or nil)
    end
    return host_at, count
end

local function learn_timings(packed, host_at)
    for index, rest, connect, response, requests in each('>I4dddB', packed) do
        learn_timing(host_at(index, true), rest, connect, response, requests)
    end
end

local function remove(host, url_key)
    redis.call('ZREM', queue_key(host.id), url_key)
    drop_record(url_key)
    totals.waiting = totals.waiting - 1
end

local function fail(host, url_key, reason)
    local id, attempts, packed = find(url_key)
    attempts = (attempts or 0) + 1
    if id and attempts < totals.attempts then
        put_record(url_key, id, attempts, packed)
        return
    end
    local minus = tonumber(redis.call('ZSCORE', queue_key(host.id), url_key)) or 0
    dead_letter(host, url_key, minus, reason, attempts, packed or '')
    remove(host, url_key)
end

local function complete(host, url_key, ending, reason)
    touch(host)
    if ending == RELEASED then
        return
    end
    host.entered = totals.flushes
    if ending == FAILED then
        fail(host, url_key, reason)
        return
    end
    remove(host, url_key)
    totals.done = totals.done + 1
    if ending == PAGE then
        totals.pages = totals.pages + 1
        host.pages = host.pages + 1
    end
end

-- Whether the URL is neither done nor leased.
local function is_queued(host, url_key)
    local lease = lease_of(host.id)
    return find(url_key) == host.id and not (lease and position_in(lease, url_key))
end

local function complete_all(packed, host_at)
    for index, url_key, epoch, number, ending, reason in each('>I4c8dI4BHc0', packed) do
        local host = host_at(index, false)
        local again = TOLD_AGAIN[ending]
        if host and (take_out(host, url_key, epoch, number) or (again and is_queued(host, url_key))) then
            complete(host, url_key, again or ending, reason)
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

-- Leasing hosts, best first; then the standing.
local function next_host()
    local member = redis.call('ZRANGE', READY, 0, 0)[1]
    if not member then
        return nil
    end
    local host = load_host(string.sub(member, 9))
    if not host then
        redis.call('ZREM', READY, member) -- somebody deleted keys: take the next host
        return next_host()
    end
    return host
end

-- Drops a URL without a readable record, and counts it as dead: only its URL key is known.
local function drop_unreadable(host, url_key)
    dead_letter(host, url_key, 0, 'unreadable', 0, '')
    if #url_key == 8 then
        remove(host, url_key)
    else
        redis.call('ZREM', queue_key(host.id), url_key) -- not a member that we wrote
    end
end

-- Returns the keys of the best URLs worth ``least``, and for each its key, minus its score in millionths, attempts, the client's text.
local function best_urls(host, count)
    local top = redis.call('ZRANGE', queue_key(host.id), 0, count - 1, 'WITHSCORES')
    local url_keys, told = {}, {}
    for index = 1, #top, 2 do
        local url_key = top[index]
        local id, attempts, packed = find(url_key)
        if -tonumber(top[index + 1]) < totals.least then
            break
        elseif id == host.id then
            url_keys[#url_keys + 1] = url_key
            for _, one in ipairs({ url_key, top[index + 1], attempts, packed }) do
                told[#told + 1] = one
            end
        else
            drop_unreadable(host, url_key)
        end
    end
    return table.concat(url_keys), told
end

local LONGEST_WAIT = 30 -- seconds, as in host_ranking.py

-- The best score of a host's URLs that are not leased, in millionths.
local function best_free(id, lease)
    local url_keys = lease and lease.url_keys or ''
    local top = redis.call('ZRANGE', queue_key(id), 0, #url_keys / 8, 'WITHSCORES')
    for index = 1, #top, 2 do
        if not (lease and position_in(lease, top[index])) then
            return -tonumber(top[index + 1])
        end
    end
    return -math.huge
end

-- Whether the host is waited for and has an unleased URL worth more than ``least`` millionths (promise 15).
local function has_better(host, least)
    local lease = lease_of(host.id)
    if not lease then
        return host.where == IS_RESTING and host.ready_at <= now + LONGEST_WAIT
    end
    local leased = #lease.url_keys / 8
    if host.is_blocked or host.rest > LONGEST_WAIT or host_room(host.pages + leased, 1) == 0 then
        return false
    end
    return best_free(host.id, lease) > least
end

-- Whether the host's best URL is held back for the best URL that is waited for (promise 15).
local function is_outbid(host)
    local least = math.max(0, totals.patience * host.best)
    for from = 0, totals.patience > 0 and totals.policy == 'quality' and totals.hosts or -1, 16 do
        local some = redis.call('ZRANGE', BEST, from, from + 15, 'WITHSCORES')
        for index = 1, #some, 2 do
            local other = load_host(some[index])
            if -tonumber(some[index + 1]) <= least then
                return false
            elseif other and has_better(other, least) then
                return true
            end
        end
    end
    return false
end

-- Returns the leases, and whether other ready hosts are held back for something better.
local function lease_hosts(node, hosts, urls, seconds)
    local leases = {}
    while #leases < hosts do
        local count = room(urls)
        local host = count > 0 and next_host()
        if not host then
            break
        elseif is_outbid(host) then
            return leases, true
        end
        local most = host.allowed > 0 and math.min(count, host.allowed) or count
        local url_keys, told = best_urls(host, host_room(host.pages, most))
        if #url_keys == 0 then
            place(host)
        else
            grant(host, node, url_keys, seconds)
            leases[#leases + 1] = { host.name, totals.tokens, told }
        end
    end
    return leases, false
end

-- Seconds until the first unleased host has rested, "" when there is none.
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

-- Seconds until the first lease ends, if a leased host that is not blocked has URLs that are not leased; else "".
local function lease_ends_in()
    local all = redis.call('HGETALL', LEASES)
    for index = 1, #all, 2 do
        local host, lease = load_host(all[index]), lease_of(all[index])
        if host and not host.is_blocked and best_free(all[index], lease) >= totals.least then
            return exact(redis.call('ZRANGE', ENDS, 0, 0, 'WITHSCORES')[2] - now)
        end
    end
    return ''
end

-- Whether a blocked host below ``pages_per_host`` has URLs that are not leased.
local function is_blocked_left()
    for _, id in ipairs(redis.call('SMEMBERS', BLOCKED)) do
        local host = load_host(id)
        if host and host_room(host.pages, 1) > 0 and best_free(id, lease_of(id)) >= totals.least then
            return true
        end
    end
    return false
end

-- Whether a host that may be leased has no URL worth ``least`` (promise 16).
local function is_low_left()
    local from, some = 0, nil
    repeat
        some = redis.call('ZRANGEBYSCORE', BEST, '(' .. exact(-totals.least), '+inf', 'LIMIT', from, 10)
        for _, id in ipairs(some) do
            local host = load_host(id)
            if host and not host.is_blocked and not is_leased(id) and host_room(host.pages, 1) > 0 then
                return true
            end
        end
        from = from + 10
    until #some < 10
    return false
end

-- Returns room, whether a host is ready, seconds until the first rest ends, seconds until the first lease ends, whether blocked hosts
-- are left, ``is_patient``, whether hosts are left whose URLs are all worth less than ``least``.
local function standing(is_patient)
    local left = room(1)
    if left == 0 then
        return { 0, 0, '', '', 0, 0, 0 }
    end
    if not is_patient and redis.call('ZCARD', READY) > 0 then
        return { left, 1, '', '', 0, 0, 0 }
    end
    local rest = rest_ends_in()
    local lease = rest == '' and lease_ends_in() or ''
    local is_stuck = rest == '' and lease == ''
    local is_blocked, is_low = is_stuck and is_blocked_left(), is_stuck and is_low_left()
    return { left, 0, rest, lease, is_blocked and 1 or 0, is_patient and 1 or 0, is_low and 1 or 0 }
end

-- Hosts are shared by need: while other nodes got fewer than they asked for, a node leases only its share of the ready hosts.
local share_left, note_need
do
    local HUNGRY = PREFIX .. 'hungry' -- nodes that got fewer hosts than they asked for, with the time of that
    local WAITED_FOR = 3 -- seconds; a hungry node asks every second

    note_need = function(node, is_hungry)
        if is_hungry then
            redis.call('ZADD', HUNGRY, now, node)
        else
            redis.call('ZREM', HUNGRY, node)
        end
    end

    -- How many more hosts the node may lease. Hosts held by nodes that need no more are not part of what is shared.
    share_left = function(node)
        redis.call('ZREMRANGEBYSCORE', HUNGRY, '-inf', exact(now - WAITED_FOR))
        note_need(node, true)
        local hungry = redis.call('ZCARD', HUNGRY)
        if hungry == 1 then
            return math.huge
        end
        local mine, shared = 0, redis.call('ZCARD', READY)
        for _, text in ipairs(redis.call('HVALS', LEASES)) do
            local holder = unpack_lease(text).node
            mine = mine + (holder == node and 1 or 0)
            shared = shared + (redis.call('ZSCORE', HUNGRY, holder) and 1 or 0)
        end
        return math.max(0, math.ceil(shared / hungry) - mine)
    end
end

-- Nothing is granted while leases that the server has forgotten may still be held (see opening.lua).
local function acquire(node, hosts, urls, seconds, is_shared)
    expire()
    wake_rested()
    if now < totals.quiet then
        return {}, standing(false), exact(totals.quiet - now)
    end
    local most = is_shared and math.min(hosts, share_left(node)) or hosts
    local leases, is_patient = lease_hosts(node, most, urls, seconds)
    if is_shared then
        note_need(node, #leases < hosts)
    end
    local is_left = most < hosts and redis.call('ZCARD', READY) > 0 -- for the others
    return leases, standing(is_patient or is_left), ''
end
