import { type FormEvent, useState } from 'react'
import { call } from '#api/client.ts'
import type { RequestBody } from '#api/operations.ts'
import { useReload } from '#api/query.ts'
import { formatCount } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { TextField } from '#ui/fields/text-field.tsx'
import { ConfirmDialog } from '#ui/overlays/confirm-dialog.tsx'
import { OperatorSection } from '../facts.tsx'
import { RequestTable } from './request-table.tsx'
import { Suppressions } from './suppressions.tsx'

/** Erasing people, keeping them away, and what people asked for themselves. */
export default function OperatorPrivacyPage() {
  return (
    <>
      <PageHeader title="Privacy" description="People of the catalogue who do not want to be in it." />
      <EraseForm />
      <Suppressions />
      <RequestTable />
    </>
  )
}

/** Erases one person, by an email address or a contact id. */
function EraseForm() {
  const reload = useReload('getSuppressions', 'listPrivacyRequests', 'getCatalogue')
  const [text, setText] = useState('')
  const [asked, setAsked] = useState<RequestBody<'erasePerson'>>()
  const [erased, setErased] = useState<number>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setErased(undefined)
    setAsked(/^ct_/.test(text.trim()) ? { contact: text.trim() } : { email: text.trim() })
  }
  const confirm = async () => {
    const result = await call('erasePerson', { body: asked ?? {} })
    setErased(result.erased)
    setText('')
    await reload()
  }
  return (
    <OperatorSection title="Erase a person">
      <form onSubmit={submit} className="flex max-w-xl flex-wrap items-end gap-2">
        <TextField
          label="Email address or contact id"
          value={text}
          onChange={setText}
          autoComplete="off"
          maxLength={320}
          isRequired
          className="min-w-56 flex-1"
        />
        <Button type="submit" variant="danger">
          Erase
        </Button>
      </form>
      {erased !== undefined && (
        <div className="mt-3 max-w-xl">
          <Banner isAnnounced>
            {erased === 0
              ? 'No contact has this address. It is suppressed: later imports skip it.'
              : `Erased ${formatCount(erased, 'contact')}. Later imports skip this person.`}
          </Banner>
        </div>
      )}
      <ConfirmDialog
        title="Erase this person?"
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        confirmLabel="Erase"
        isDanger
        onConfirm={confirm}
      >
        <p>
          Every contact with this address, and the same person at other stores, is deleted at once. This cannot be
          undone, and imports cannot bring the person back. What customers have revealed before stays with them.
        </p>
      </ConfirmDialog>
    </OperatorSection>
  )
}
