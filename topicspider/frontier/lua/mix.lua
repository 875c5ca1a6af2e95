-- Which host is explored: ordering.py's draw. Lua's numbers hold 53 bits, so 64 bits are four limbs of 16, lowest first.
local function limbs_of(hex)
    local limbs = {}
    for limb = 1, 4 do
        limbs[limb] = tonumber(string.sub(hex, 17 - 4 * limb, 20 - 4 * limb), 16)
    end
    return limbs
end

local function add64(left, right)
    local sum, carry = {}, 0
    for limb = 1, 4 do
        local value = left[limb] + right[limb] + carry
        sum[limb] = value % 65536
        carry = math.floor(value / 65536)
    end
    return sum
end

local function multiply64(left, right)
    local product, carry = {}, 0
    for limb = 1, 4 do
        local value = carry
        for other = 1, limb do
            value = value + left[other] * right[limb - other + 1]
        end
        product[limb] = value % 65536
        carry = math.floor(value / 65536)
    end
    return product
end

local function xor_shifted(limbs, bits)
    local whole, part = math.floor(bits / 16), bits % 16
    local result = {}
    for limb = 1, 4 do
        local low, high = limbs[limb + whole] or 0, limbs[limb + whole + 1] or 0
        local shifted = math.floor((high * 65536 + low) / 2 ^ part) % 65536
        result[limb] = bit.bxor(limbs[limb], shifted)
    end
    return result
end

-- mix() of ordering.py without its sign; ``shift`` is seed * golden + golden, 64 bits in hex, worked out by the client.
local function mixed(number, shift)
    local low = { number % 65536, math.floor(number / 65536) % 65536, 0, 0 }
    local z = add64(low, limbs_of(shift))
    z = multiply64(xor_shifted(z, 30), limbs_of('bf58476d1ce4e5b9'))
    z = multiply64(xor_shifted(z, 27), limbs_of('94d049bb133111eb'))
    return xor_shifted(z, 31)
end

-- ``shifts``: of the seed, then of its complement.
local function explored_place(number, ready, shifts, exploration)
    if exploration <= 0 or ready < 2 then
        return 0
    end
    local drawn = mixed(number, string.sub(shifts, 17))
    local share = (drawn[4] * 2 ^ 48 + drawn[3] * 2 ^ 32 + drawn[2] * 2 ^ 16 + drawn[1]) / 2 ^ 64
    if share >= exploration then
        return 0
    end
    local place = 0
    local chosen = mixed(number, string.sub(shifts, 1, 16))
    for limb = 4, 1, -1 do
        place = (place * 65536 + chosen[limb]) % ready
    end
    return place
end
