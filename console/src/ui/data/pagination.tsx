import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../actions/button.tsx'

interface PaginationProps {
  /** Undefined where there is no such page. */
  onPrevious?: (() => void) | undefined
  onNext?: (() => void) | undefined
  isPending?: boolean
  /** Such as `1–50 of 12,300`. */
  children?: ReactNode
}

export function Pagination({ onPrevious, onNext, isPending = false, children }: PaginationProps) {
  return (
    <nav aria-label="Pages" className="flex flex-wrap items-center justify-between gap-2 py-3">
      <span className="text-muted">{children}</span>
      <span className="flex gap-2">
        <Button onPress={onPrevious} isDisabled={!onPrevious || isPending}>
          <ChevronLeft aria-hidden />
          Previous page
        </Button>
        <Button onPress={onNext} isDisabled={!onNext || isPending}>
          Next page
          <ChevronRight aria-hidden />
        </Button>
      </span>
    </nav>
  )
}
