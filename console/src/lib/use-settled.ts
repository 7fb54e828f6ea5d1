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
