-- Runs the operation that the caller asks for.
if not load_totals() then
    return false -- the server has lost everything
end
local operation = operations[ARGV[2]]
return operation({ unpack(ARGV, 3) })
