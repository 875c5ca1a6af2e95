-- The state that one call works on: its time, its totals, and the names of its keys.
-- KEYS[1] is the key of the totals. Every other key of the crawl begins as it does, with the same hash tag, so in a
-- cluster all lie in one slot. ARGV[1] is the time, "" for the server's.
local PREFIX = string.sub(KEYS[1], 1, -(#'totals') - 1)
local TOTALS = KEYS[1]
local NAMES, HOSTS = PREFIX .. 'names', PREFIX .. 'hosts' -- a host's name to its number, its number to what is known of it
local READY, HELD, RESTING = PREFIX .. 'ready', PREFIX .. 'held', PREFIX .. 'resting'
local BEST = PREFIX .. 'best' -- hosts with URLs by their best score
local LEASES, ENDS = PREFIX .. 'leases', PREFIX .. 'ends' -- a host's number to its lease, and to when that is over
local LONG, SEEN, QUEUE = PREFIX .. 'long', PREFIX .. 's', PREFIX .. 'q'

local function time_now()
    if ARGV[1] ~= '' then
        return tonumber(ARGV[1])
    end
    local parts = redis.call('TIME')
    return tonumber(parts[1]) + tonumber(parts[2]) / 1e6
end

-- Numbers leave a script as strings: what is not whole would arrive cut.
local function exact(number)
    return string.format('%.17g', number)
end

local COUNTERS = {
    'epoch', 'tokens', 'waiting', 'leased', 'done', 'dead', 'pages', 'hosts', 'flushes', 'now', 'longest', 'quiet',
    'bits', 'max_pages', 'pages_per_host', 'attempts', 'exploration', 'layout', 'blocked', 'delays', 'deaths', 'watched',
    'evicted', 'evicting', 'unlooked', 'fitting', 'duplicates', 'reissued', 'alone', 'allowed',
}
local IS_TEXT = { policy = true, seed = true, run = true }
local totals, saved = {}, {}

-- Whether there is a crawl: plain commands may have left fields of a spread one on a server that was emptied a moment before.
local function load_totals()
    for _, name in ipairs(COUNTERS) do
        totals[name], saved[name] = 0, 0
    end
    for name in pairs(IS_TEXT) do
        totals[name], saved[name] = '', ''
    end
    local all = redis.call('HGETALL', TOTALS)
    for index = 1, #all, 2 do
        local name, value = all[index], all[index + 1]
        if totals[name] then
            value = IS_TEXT[name] and value or tonumber(value) or 0
            totals[name], saved[name] = value, value
        end
    end
    return totals.layout > 0
end

local function save_totals()
    local changed = {}
    for name, value in pairs(totals) do
        if saved[name] ~= value then
            changed[#changed + 1] = name
            changed[#changed + 1] = value
            saved[name] = value
        end
    end
    if #changed > 0 then
        redis.call('HSET', TOTALS, unpack(changed))
    end
end

-- The bucket of a URL, by the first 24 bits of its mark; marks are spread evenly.
local last_mark, last_bucket -- a URL's keys are asked for several times in a row
local function bucket_of(mark)
    if mark ~= last_mark then
        local first, second, third = string.byte(mark, 1, 3)
        local number = math.floor((first * 65536 + second * 256 + third) / 2 ^ (24 - totals.bits))
        last_mark, last_bucket = mark, string.format('%d', number)
    end
    return last_bucket
end

local function seen_key(mark)
    return SEEN .. bucket_of(mark)
end

local function queue_key(id)
    return QUEUE .. id
end

-- Limits that are not set are -1.
local function within(limit, used, wanted)
    if limit < 0 then
        return wanted
    end
    return math.max(0, math.min(wanted, limit - used))
end

local function room(wanted)
    return within(totals.max_pages, totals.pages + totals.leased, wanted)
end

local function host_room(pages, wanted)
    return within(totals.pages_per_host, pages, wanted)
end
