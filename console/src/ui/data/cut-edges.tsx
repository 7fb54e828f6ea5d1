import { type RefObject, useEffect, useState } from 'react'
import { classNames } from '../class-names.ts'

interface CutEdgesProps {
  /** The region that scrolls; its first child is what may be wider. */
  region: RefObject<HTMLElement | null>
}

/** A shade at each side where columns are out of sight: without it users do not see that the table goes on. */
export function CutEdges({ region }: CutEdgesProps) {
  const [cut, setCut] = useState({ start: false, end: false })
  useEffect(() => {
    const element = region.current
    if (!element) return
    const look = () => {
      const { scrollLeft, scrollWidth, clientWidth } = element
      const start = scrollLeft > 1
      const end = scrollLeft + clientWidth < scrollWidth - 1
      setCut((before) => (before.start === start && before.end === end ? before : { start, end }))
    }
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element)
    if (element.firstElementChild) observer.observe(element.firstElementChild)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [region])
  return (
    <>
      {cut.start && <Edge className="left-0 rounded-l-lg bg-linear-to-r" />}
      {cut.end && <Edge className="right-0 rounded-r-lg bg-linear-to-l" />}
    </>
  )
}

function Edge({ className }: { className: string }) {
  return (
    <div
      aria-hidden
      data-cut-edge
      className={classNames('pointer-events-none absolute inset-y-0 z-20 w-6 from-text/25 to-transparent', className)}
    />
  )
}
