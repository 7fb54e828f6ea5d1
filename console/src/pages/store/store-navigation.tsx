import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ArrowLeft, ChevronLeft, ChevronRight } from 'lucide-react'
import { useAccount } from '#api/account.tsx'
import { formatNumber } from '#lib/format.ts'
import { IconButton } from '#ui/actions/button.tsx'
import { plainLinkClass } from '#ui/actions/link.tsx'
import { useNeighbours } from './use-neighbours.ts'

/** The way back to the result, and to the stores beside this one in it. */
export function StoreNavigation({ domain }: { domain: string }) {
  const { id: account } = useAccount()
  const search = useSearch({ from: '/app/stores/$domain' })
  const navigate = useNavigate()
  const neighbours = useNeighbours(account, domain, search)
  const open = (other: string | undefined) =>
    other && void navigate({ to: '/stores/$domain', params: { domain: other }, search, state: true })
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
            isDisabled={!neighbours.previous}
            onPress={() => open(neighbours.previous)}
          />
          <IconButton
            label="Next store"
            icon={<ChevronRight aria-hidden />}
            isDisabled={!neighbours.next}
            onPress={() => open(neighbours.next)}
          />
        </span>
      )}
    </nav>
  )
}
