import { useEffect, useRef, useState } from 'react'

/**
 * The latest value, for work that quick changes should not multiply: the first change is passed on at once, those that follow
 * within `ms` only when they have stood still for as long.
 */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value)
  const changedAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    const now = performance.now()
    const isFirst = now - changedAt.current > ms
    changedAt.current = now
    if (isFirst) {
      setSettled(value)
      return
    }
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}

/** The value as it was when it last stood still for this long. */
export function useDebounced<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}

/**
 * A value that the address holds, shown at once when it is changed: the address follows a moment later, and a box that waited for
 * it would jump back first. Two quick changes build on each other. `value` must keep its identity until it changes.
 */
export function useOptimisticValue<T>(value: T, change: (next: T) => void): [T, (next: T) => void] {
  const [ahead, setAhead] = useState({ of: value, shown: value })
  // Also on the way back to a value that was ahead of another once.
  if (ahead.of !== value) setAhead({ of: value, shown: value })
  const show = (next: T) => {
    setAhead({ of: value, shown: next })
    change(next)
  }
  return [ahead.of === value ? ahead.shown : value, show]
}
