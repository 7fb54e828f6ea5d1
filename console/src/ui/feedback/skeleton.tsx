import { useEffect, useState } from 'react'
import { classNames } from '../class-names.ts'

/** A grey bar where text will be; its size by `className`. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={classNames('block h-4 animate-pulse rounded-sm bg-hover', className)} />
}

/** Rows that are on their way. */
export function SkeletonRows({ rows = 8 }: { rows?: number }) {
  return (
    <div role="status" className="divide-y divide-line">
      <span className="sr-only">Loading</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <div key={row} className="flex gap-6 px-3 py-3">
          <Skeleton className="w-48" />
          <Skeleton className="w-24" />
          <Skeleton className="w-16" />
        </div>
      ))}
    </div>
  )
}

const delayMs = 150

/** True once `isOn` has been true for 150 ms. What is quicker than that should not be seen. */
export function useDelayed(isOn: boolean): boolean {
  const [isLate, setIsLate] = useState(false)
  useEffect(() => {
    if (!isOn) return
    const timer = setTimeout(() => setIsLate(true), delayMs)
    return () => {
      clearTimeout(timer)
      setIsLate(false)
    }
  }, [isOn])
  return isOn && isLate
}
