-- The clock: the server's, which may be set back; no lease, no rest and no watch gets longer by that.
local function clock_went_back()
    totals.quiet = math.min(totals.quiet, now + totals.longest)
    totals.watched = math.min(totals.watched, now + WATCHED_SECONDS)
    local all = redis.call('HGETALL', LEASES)
    for index = 1, #all, 2 do
        local lease = lease_of(all[index])
        lease.ends = math.min(lease.ends, now + lease.seconds)
        save_lease(all[index], lease)
    end
    for number = 1, totals.hosts do
        local host = load_host(string.format('%d', number))
        if host then
            host.ready_at = math.min(host.ready_at, now + host.rest)
            place(host)
        end
    end
end

-- The first write of every call that writes: a command that a full server refuses, so nothing is half done (promise 10).
local function look_at_the_clock()
    now = time_now()
    local before = totals.now
    totals.now = now
    redis.call('HSET', TOTALS, 'now', exact(now))
    saved.now = now
    if now < before then
        clock_went_back()
    end
end
