import { formatCount } from '#lib/format.ts'
import { PageHeader } from '#ui/data/page-header.tsx'

export function ErasedPage({ erased }: { erased: number }) {
  return (
    <>
      <PageHeader title={erased === 0 ? 'Done' : 'Your data is erased'} />
      <p role="status">
        {erased > 0 && `${formatCount(erased, 'record')} ${erased === 1 ? 'was' : 'were'} deleted. `}
        From now on, imports skip this address: nobody can add it again. We keep only a code that cannot be turned back
        into the address.
      </p>
      <p className="mt-4 text-muted">The link is used up. You can close this page.</p>
    </>
  )
}
