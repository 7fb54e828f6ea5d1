import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '#api/client.ts'
import { failureProps, fieldError, messageOf } from '#api/failure.ts'
import type { Reply } from '#api/operations.ts'
import { callQuery, useReload } from '#api/query.ts'
import { formatCount, formatNumber } from '#lib/format.ts'
import { useSubmit } from '#lib/use-submit.ts'
import { Button } from '#ui/actions/button.tsx'
import { Num, RelativeTime } from '#ui/data/relative-time.tsx'
import { Table, type TableColumn } from '#ui/data/table.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { SkeletonRows, useDelayed } from '#ui/feedback/skeleton.tsx'
import { ErrorState } from '#ui/feedback/states.tsx'
import { FormError } from '#ui/fields/field.tsx'
import { TextArea } from '#ui/fields/text-field.tsx'
import { Dialog, DialogActions } from '#ui/overlays/dialog.tsx'
import { OperatorSection } from '../facts.tsx'

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

type SuppressionsResult = Reply<'addSuppressions'>

interface AddSuppressionsDialogProps {
  isOpen: boolean
  onClose: () => void
}

function AddSuppressionsDialog({ isOpen, onClose }: AddSuppressionsDialogProps) {
  return (
    <Dialog title="Add suppressions" isOpen={isOpen} onClose={onClose} size="medium">
      <AddSuppressionsForm onClose={onClose} />
    </Dialog>
  )
}

const largest = 200_000

function AddSuppressionsForm({ onClose }: { onClose: () => void }) {
  const reload = useReload('getSuppressions', 'listPrivacyRequests', 'getCatalogue')
  const [text, setText] = useState('')
  const [result, setResult] = useState<SuppressionsResult>()
  const { submit, isPending, failure } = useSubmit(async () => {
    setResult(undefined)
    setResult(await call('addSuppressions', { body: { text } }))
    setText('')
    await reload()
  })
  const textError = fieldError(failure, 'text')
  return (
    <form onSubmit={submit}>
      <TextArea
        label="People and sites"
        description="One email address, phone number with its country code, profile page or domain per line. Contacts on file that match are erased, which cannot be undone."
        rows={8}
        value={text}
        onChange={setText}
        errorMessage={textError}
        maxLength={largest}
        isRequired
        autoFocus
      />
      {result && (
        <div className="mt-4">
          <Result result={result} />
        </div>
      )}
      <FormError>{failure !== undefined && !textError && messageOf(failure)}</FormError>
      <DialogActions>
        <Button onPress={onClose}>{result ? 'Close' : 'Cancel'}</Button>
        <Button type="submit" variant="danger" isPending={isPending}>
          Suppress and erase
        </Button>
      </DialogActions>
    </form>
  )
}

function Result({ result }: { result: SuppressionsResult }) {
  const { added, unchanged, erased, rejected, rejects } = result
  return (
    <Banner isAnnounced tone={rejected > 0 ? 'warning' : 'info'}>
      <p>
        {formatNumber(added)} added, {formatNumber(unchanged)} known before, {formatCount(erased, 'contact')} erased.
      </p>
      {rejected > 0 && (
        <>
          <p className="mt-2">{formatCount(rejected, 'line')} could not be read:</p>
          <ul className="mt-1 max-h-32 overflow-auto">
            {rejects.map(({ line, reason }) => (
              <li key={line}>
                Line {formatNumber(line)}: {reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </Banner>
  )
}
