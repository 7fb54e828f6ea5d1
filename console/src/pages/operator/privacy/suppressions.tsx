import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { failureProps } from '#api/failure.ts'
import type { Reply } from '#api/operations.ts'
import { callQuery } from '#api/query.ts'
import { Button } from '#ui/actions/button.tsx'
import { Num, RelativeTime } from '#ui/data/relative-time.tsx'
import { Table, type TableColumn } from '#ui/data/table.tsx'
import { ErrorState } from '#ui/feedback/error-state.tsx'
import { SkeletonRows, useDelayed } from '#ui/feedback/skeleton.tsx'
import { OperatorSection } from '../facts.tsx'
import { AddSuppressionsDialog } from './add-suppressions-dialog.tsx'

/** How many people and sites imports skip. Who they are is stored nowhere. */
export function Suppressions() {
  const [isAdding, setIsAdding] = useState(false)
  return (
    <OperatorSection
      title="Suppressions"
      description="People and sites that imports skip, kept as hashes only."
      action={<Button onPress={() => setIsAdding(true)}>Add suppressions</Button>}
    >
      <Counts />
      <AddSuppressionsDialog isOpen={isAdding} onClose={() => setIsAdding(false)} />
    </OperatorSection>
  )
}

function Counts() {
  const { data, error, isFetching, refetch } = useQuery(callQuery('getSuppressions', {}))
  const isLoading = useDelayed(!data)
  if (error) return <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
  if (!data) return isLoading && <SkeletonRows rows={3} />
  if (data.kinds.length === 0) return <p className="text-muted">Nobody is suppressed yet.</p>
  return (
    <Table label="Suppressions" columns={columns} rows={data.kinds} getId={({ kind }) => kind} className="max-w-xl" />
  )
}

const kindNames = {
  email: 'Email addresses',
  phone: 'Phone numbers',
  profile: 'Profiles',
  domain: 'Domains',
  record: 'Records of erased contacts',
}

const columns: TableColumn<Reply<'getSuppressions'>['kinds'][number]>[] = [
  { id: 'kind', label: 'Kind', render: ({ kind }) => kindNames[kind] },
  { id: 'total', label: 'Number', align: 'end', render: ({ total }) => <Num value={total} /> },
  { id: 'added', label: 'Last added', render: ({ last_added_at }) => <RelativeTime time={last_added_at} /> },
]
