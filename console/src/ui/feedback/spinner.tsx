import { LoaderCircle } from 'lucide-react'
import { useEffect, useState } from 'react'

const appearsAfterMs = 150

interface SpinnerProps {
  label?: string
  /** At once, right after a press. */
  isImmediate?: boolean
}

/** Appears after 150 ms: what is quicker needs none. */
export function Spinner({ label = 'Loading', isImmediate = false }: SpinnerProps) {
  const [isShown, setIsShown] = useState(isImmediate)
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true), appearsAfterMs)
    return () => clearTimeout(timer)
  }, [])
  if (!isShown) return null
  return (
    <span role="status" className="inline-grid text-muted">
      <LoaderCircle aria-hidden className="size-4 animate-spin" />
      <span className="sr-only">{label}</span>
    </span>
  )
}

/** In the middle of where something will be. */
export function PageSpinner() {
  return (
    <div className="grid min-h-40 place-items-center">
      <Spinner />
    </div>
  )
}
