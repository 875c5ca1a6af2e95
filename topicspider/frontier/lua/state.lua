-- The state of one call: time, totals, names of keys; rules and server policies.
-- Needs: nothing.

-- KEYS[1] is the key of the totals. Every other key of the crawl has the same prefix with the same hash tag, so in a cluster all lie in
-- one slot. ARGV[1] is the time; "" means the server's.
local PREFIX = string.sub(KEYS[1], 1, -(#'totals') - 1)
local TOTALS = KEYS[1]
local NAMES, HOSTS = PREFIX .. 'names', PREFIX .. 'hosts' -- a host's name to its number; its number to its record
local READY, RESTING = PREFIX .. 'ready', PREFIX .. 'resting'
local BEST = PREFIX .. 'best' -- host numbers by minus their best score
local BLOCKED = PREFIX .. 'blocked' -- host numbers
local LEASES, ENDS = PREFIX .. 'leases', PREFIX .. 'ends' -- a host's number to its lease; and to the lease's end
local SEEN, QUEUE = PREFIX .. 's', PREFIX .. 'q'

local function time_now()
    if ARGV[1] ~= '' then
        return tonumber(ARGV[1])
    end
    local parts = redis.call('TIME')
    return tonumber(parts[1]) + tonumber(parts[2]) / 1e6
end

-- A number as a string: Redis would cut the fraction off a number that a script returns.
local function exact(number)
    return string.format('%.17g', number)
end

-- Iterates over packed records of one format. struct.unpack returns as its last value where the next record begins.
local function each(format, packed)
    local from = 1
    local function read(...)
        from = select(select('#', ...), ...)
        return ...
    end
    return function()
        if from <= #packed then
            return read(struct.unpack(format, packed, from))
        end
    end
end

local COUNTERS = {
    'epoch', 'tokens', 'waiting', 'leased', 'done', 'dead', 'pages', 'hosts', 'flushes', 'now', 'longest', 'quiet',
    'bits', 'max_pages', 'pages_per_host', 'attempts', 'layout', 'deaths',
    'evicted', 'evicting', 'unlooked', 'fitting', 'reissued', 'patience', 'least', 'loss',
}
local IS_TEXT = { policy = true, seed = true, run = true }
local MAY_BE_NEGATIVE = { least = true, max_pages = true, pages_per_host = true, patience = true }
local LARGEST = { hosts = 1e8, bits = 24 } -- loops run up to these
local totals, saved = {}, {}

-- Checks a total. A foreign value could make a loop run for ever, or be too large to count with. When Redis evicts keys, counts may drop
-- below 0; they are raised to 0.
local function checked(name, value)
    if value == nil or not (value <= (LARGEST[name] or 2 ^ 53)) then
        error('the total ' .. name .. ' is none')
    end
    return MAY_BE_NEGATIVE[name] and value or math.max(0, value)
end

-- Returns whether there is a crawl. On a server that was just emptied, plain commands may have left fields without a crawl.
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
            value = IS_TEXT[name] and value or checked(name, tonumber(value))
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

-- The bucket of a URL: the first bits (24 at most) of its URL key; URL keys are evenly spread.
local last_key, last_bucket -- a URL is often looked up several times in a row
local function bucket_of(url_key)
    if url_key ~= last_key then
        local first, second, third = string.byte(url_key, 1, 3)
        local number = math.floor((first * 65536 + second * 256 + third) / 2 ^ (24 - totals.bits))
        last_key, last_bucket = url_key, string.format('%d', number)
    end
    return last_bucket
end

local function seen_key(url_key)
    return SEEN .. bucket_of(url_key)
end

local function queue_key(id)
    return QUEUE .. id
end

-- How many of ``wanted`` the limit leaves; a limit of -1 is none.
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

-- The server policies of (c) Cao, as in host_ranking.py; golden vectors test that both give the same numbers.
local REQUESTS_PER_CONNECTION = 50
local MOST_REQUESTS = 100
local RESERVE = 1.2
local OLD_SHARE = 0.8
local PRIOR_CONNECT_SECONDS = 0.1
local PRIOR_RESPONSE_SECONDS = 0.5
local SHORTEST_TASK_SECONDS = 1e-3

-- ``allowed``: requests per connection.
local function pages_ahead(queued, allowed)
    return math.min(allowed, queued)
end

-- A negative time was never measured.
local function task_seconds(pages, connect, response, allowed)
    if connect < 0 then connect = PRIOR_CONNECT_SECONDS end
    if response < 0 then response = PRIOR_RESPONSE_SECONDS end
    return math.max(SHORTEST_TASK_SECONDS, 2 * connect + (allowed > 1 and RESERVE or 1) * pages * response)
end

local function rank_of(policy, queued, best, next_sum, entered, connect, response, allowed)
    if policy == 'bfs' then
        return -entered
    elseif policy == 'performance' then
        local pages = pages_ahead(queued, allowed)
        return pages / task_seconds(pages, connect, response, allowed)
    elseif policy == 'capacity' then
        return next_sum / task_seconds(pages_ahead(queued, allowed), connect, response, allowed)
    end
    return best
end

-- A value below 1 means that the answer did not show it.
local function requests_told(old, new)
    return new >= 1 and math.min(new, MOST_REQUESTS) or old
end

local function moving_average(old, new)
    if new ~= new or new < 0 or new == math.huge then
        return old
    end
    return old < 0 and new or OLD_SHARE * old + (1 - OLD_SHARE) * new
end
