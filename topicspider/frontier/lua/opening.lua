-- Opens a crawl, or checks after a restart of the server whether it has forgotten something.
-- ARGV: time, server's run ID, seconds since it started, the epoch that the client knows (0: none), the longest lease the client asked for,
-- layout, bits, seed, 1 to open or 0 to check, and the rules of the opening client: policy, max_pages, pages_per_host, attempts, patience,
-- the least score in millionths.
-- The other scripts are loaded only after this one has run, so each run of the server begins with it.
local LONGEST_LEASE = 120 -- seconds; used when no lease is known
local REPLACED, EMPTIED = 1, 2 -- how the last epoch ended, other than by a restart (see connection.py)
local now = time_now()
local is_known = load_totals()
local before = totals.now
local run, up, client_epoch = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
totals.longest = math.max(totals.longest, tonumber(ARGV[5]))
local is_new_run = is_known and totals.run ~= run
local is_lost = not is_known and client_epoch > 0

if not is_known and redis.call('EXISTS', NAMES) == 1 then
    error('its totals are gone, other keys are there: were they evicted? Set maxmemory-policy noeviction')
end
if is_known and totals.layout ~= tonumber(ARGV[6]) then
    return { 0, totals.layout, '', 0, 0 }
end
if not is_known then
    totals.layout, totals.bits, totals.seed = tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8]
    totals.epoch = math.max(client_epoch + 1, math.floor(now))
    totals.now = now
elseif is_new_run then
    totals.epoch = math.max(totals.epoch + 1, math.floor(now))
end
if is_new_run or is_lost then
    -- Leases granted in the lost last seconds began before the loss, so they are over one lease time after it. If the server surely started
    -- after the last call, its start was the loss. Else a replica took its place, or it was emptied, a moment ago.
    local is_restart = is_known and now - up - 2 >= before
    totals.quiet = (is_restart and now - up or now) + (totals.longest > 0 and totals.longest or LONGEST_LEASE)
    totals.loss = is_restart and 0 or is_known and REPLACED or EMPTIED
end
totals.run = run

local is_changed = false
if ARGV[9] == '1' or not is_known then
    is_changed = totals.policy ~= ARGV[10] or totals.pages_per_host ~= tonumber(ARGV[12]) or totals.least ~= tonumber(ARGV[15])
    totals.policy, totals.max_pages, totals.pages_per_host = ARGV[10], tonumber(ARGV[11]), tonumber(ARGV[12])
    totals.attempts, totals.patience, totals.least = tonumber(ARGV[13]), tonumber(ARGV[14]), tonumber(ARGV[15])
end
save_totals()
return { totals.epoch, totals.layout, totals.seed, is_changed and 1 or 0, totals.loss }
