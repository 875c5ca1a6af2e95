-- Runs the operation that ARGV[2] names. The answer begins with the crawl's epoch and how the epoch before it ended.
if not load_totals() then
    return false -- the server has lost the crawl
end
local answer = operations[ARGV[2]]({ unpack(ARGV, 3) })
save_totals()
return { { totals.epoch, totals.loss }, unpack(answer) }
