import { useState } from 'react'

/**
 * A value that the address holds, shown at once when it is changed: the address follows a moment later, and a box that waited for
 * it would jump back first. Two quick changes build on each other. `value` must keep its identity until it changes.
 */
export function useAhead<T>(value: T, change: (next: T) => void): [T, (next: T) => void] {
  const [ahead, setAhead] = useState({ of: value, shown: value })
  // Also on the way back to a value that was ahead of another once.
  if (ahead.of !== value) setAhead({ of: value, shown: value })
  const show = (next: T) => {
    setAhead({ of: value, shown: next })
    change(next)
  }
  return [ahead.of === value ? ahead.shown : value, show]
}
