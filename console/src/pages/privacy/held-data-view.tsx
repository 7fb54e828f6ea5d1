import { useState } from 'react'
import { call } from '#api/client.ts'
import { messageOf } from '#api/failure.ts'
import type { Reply } from '#api/operations.ts'
import { formatCount, formatNumber, formatTime } from '#lib/format.ts'
import { saveFile } from '#lib/save-file.ts'
import { useSubmit } from '#lib/use-submit.ts'
import { Button } from '#ui/actions/button.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { FormError } from '#ui/fields/field.tsx'
import { ConfirmDialog } from '#ui/overlays/confirm-dialog.tsx'
import { ContactRecord } from './contact-record.tsx'

type HeldData = Reply<'openPrivacyLink'>

interface HeldDataViewProps {
  token: string
  held: HeldData
  onErased: (erased: number) => void
}

export function HeldDataView({ token, held, onErased }: HeldDataViewProps) {
  const { email, contacts, contacts_total: total, expires_at: expiresAt, suppressed_since: suppressedSince } = held
  const [isAsking, setIsAsking] = useState(false)
  const isHeld = total > 0
  const isUsed = held.signs_in || held.is_customer
  return (
    <>
      <PageHeader
        title={isHeld ? 'Your data' : isUsed ? 'No record of you' : 'Nothing is held about you'}
        description={
          <>
            About <bdi className="font-medium text-text wrap-anywhere">{email}</bdi>. This page works until{' '}
            {formatTime(expiresAt)}.
          </>
        }
      />
      <Notes held={held} />
      <div className="my-6 flex flex-wrap gap-2">
        {(isHeld || suppressedSince === null) && (
          <Button variant={isHeld ? 'danger' : 'secondary'} onPress={() => setIsAsking(true)}>
            {isHeld ? 'Erase my data' : 'Never list this address'}
          </Button>
        )}
        <DownloadButton token={token} />
      </div>
      {isHeld && (
        <section aria-label="Records" className="space-y-4">
          <h2 className="font-semibold text-lg">{formatCount(total, 'record')}</h2>
          {contacts.map((contact) => (
            <ContactRecord key={contact.id} contact={contact} />
          ))}
          {contacts.length < total && (
            <p className="text-muted">
              The first {formatNumber(contacts.length)} are shown. Erasing takes all of them.
            </p>
          )}
        </section>
      )}
      <ConfirmDialog
        title={isHeld ? 'Erase your data?' : 'Never list this address?'}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        confirmLabel={isHeld ? 'Erase my data' : 'Never list this address'}
        isDanger={isHeld}
        onConfirm={async () => onErased((await call('eraseByPrivacyLink', { body: { token } })).erased)}
      >
        {isHeld ? (
          <ul className="list-disc space-y-2 pl-5">
            <li>{total === 1 ? 'The record is' : `All ${formatNumber(total)} records are`} deleted at once.</li>
            <li>This cannot be undone.</li>
            <li>Imports cannot bring the data back: we keep a code of your address, only to skip it.</li>
            <li>Customers who have already seen your details keep what they have. We cannot recall it.</li>
          </ul>
        ) : (
          <p>
            Imports will skip this address from now on. We keep a code of it, which cannot be turned back into the
            address. This cannot be undone.
          </p>
        )}
      </ConfirmDialog>
    </>
  )
}

function Notes({ held }: { held: HeldData }) {
  const { contacts_total: total, suppressed_since: suppressedSince, signs_in: signsIn, is_customer: isCustomer } = held
  return (
    <div className="space-y-2">
      {total === 0 && <p>No record of the catalogue has this address.</p>}
      {suppressedSince && <p>Imports have been skipping this address since {formatTime(suppressedSince)}.</p>}
      {signsIn && (
        <p>Somebody signs in to Storedex with this address. Your account and its data are not part of this page.</p>
      )}
      {isCustomer && <p>A customer of Storedex gave this address as their contact. It is not part of this page.</p>}
    </div>
  )
}

function DownloadButton({ token }: { token: string }) {
  const { submit, isPending, failure } = useSubmit(async () => {
    const { filename, content } = await call('copyPrivacyData', { body: { token } })
    saveFile(filename, content, 'application/json')
  })
  return (
    <>
      <Button isPending={isPending} onPress={() => void submit()}>
        Download as a file
      </Button>
      <div className="basis-full">
        <FormError>{failure !== undefined && messageOf(failure)}</FormError>
      </div>
    </>
  )
}
