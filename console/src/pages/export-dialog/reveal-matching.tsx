import { lazy, Suspense } from 'react'
import type { ExportSource } from './export-form-state.ts'

const ExportDialog = lazy(() => import('./export-dialog.tsx'))

interface RevealMatchingProps {
  account: string
  /** The search of the page, with what it leaves out. */
  query: ExportSource['query']
  /** How many match. */
  matches: number | undefined
  onClose: () => void
}

/**
 * Reveals everybody who matches: an export of people with channels, with the cost told first, progress, and a Stop. The people
 * stay under Revealed; the file comes with them.
 */
export function RevealMatching({ account, query, matches, onClose }: RevealMatchingProps) {
  return (
    <Suspense>
      <ExportDialog account={account} source={{ kinds: ['contacts'], query, matches }} isReveal onClose={onClose} />
    </Suspense>
  )
}
