import { Link, useSearch } from '@tanstack/react-router'
import { ArrowLeft, ChevronLeft, ChevronRight } from 'lucide-react'
import { useAccount } from '#api/account.tsx'
import { rowsPerPage } from '#lib/filters/request.ts'
import { formatNumber } from '#lib/format.ts'
import { IconButton } from '#ui/actions/button.tsx'
import { plainLinkClass } from '#ui/actions/link.tsx'
import { useNeighbours } from './use-neighbours.ts'

/** The way back to the result, and to the stores beside this one in it. */
export function StoreNavigation({ domain }: { domain: string }) {
  const { id: account } = useAccount()
  const search = useSearch({ from: '/app/stores/$domain' })
  const neighbours = useNeighbours(account, domain, search)
  return (
    <nav aria-label="Result" className="mb-3 flex min-h-8 items-center justify-between gap-4">
      <Link to="/stores" search={search} state={true} className={`${plainLinkClass} inline-flex items-center gap-1.5`}>
        <ArrowLeft aria-hidden className="size-4" />
        All stores
      </Link>
      {neighbours && (
        <span className="flex items-center gap-1">
          <span className="mr-1 text-muted">
            {formatNumber(neighbours.position)} of {formatNumber(neighbours.count)} on the page
          </span>
          <IconButton
            label="Previous store"
            icon={<ChevronLeft aria-hidden />}
            isDisabled={!neighbours.onPrevious}
            onPress={neighbours.onPrevious}
          />
          <IconButton
            label={neighbours.isNextOnNextPage ? `Next store, with up to ${rowsPerPage} search rows` : 'Next store'}
            icon={<ChevronRight aria-hidden />}
            isDisabled={!neighbours.onNext || neighbours.isPending}
            onPress={neighbours.onNext}
          />
        </span>
      )}
    </nav>
  )
}
