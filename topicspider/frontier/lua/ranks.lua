-- The server policies of (c) Cao, as in policies.py: golden vectors hold the two to the same numbers.
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

-- Times below zero were never measured.
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

-- Below 1 nothing was told.
local function requests_told(old, new)
    return new >= 1 and math.min(new, MOST_REQUESTS) or old
end

local function moving_average(old, new)
    if new ~= new or new < 0 or new == math.huge then
        return old
    end
    return old < 0 and new or OLD_SHARE * old + (1 - OLD_SHARE) * new
end
