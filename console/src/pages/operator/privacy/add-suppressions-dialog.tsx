import { useState } from 'react'
import { call } from '#api/client.ts'
import { fieldError, messageOf } from '#api/failure.ts'
import type { Reply } from '#api/operations.ts'
import { useReload } from '#api/query.ts'
import { formatCount, formatNumber } from '#lib/format.ts'
import { useSubmit } from '#lib/use-submit.ts'
import { Button } from '#ui/actions/button.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { FormError } from '#ui/fields/field.tsx'
import { TextArea } from '#ui/fields/text-field.tsx'
import { Dialog, DialogActions } from '#ui/overlays/dialog.tsx'

type SuppressionsResult = Reply<'addSuppressions'>

interface AddSuppressionsDialogProps {
  isOpen: boolean
  onClose: () => void
}

export function AddSuppressionsDialog({ isOpen, onClose }: AddSuppressionsDialogProps) {
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
