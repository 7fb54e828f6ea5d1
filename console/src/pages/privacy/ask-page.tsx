import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '#api/client.ts'
import { failureProps, fieldError, messageOf } from '#api/failure.ts'
import { signInOptionsQuery } from '#api/session.ts'
import { useSubmit } from '#lib/use-submit.ts'
import { Button } from '#ui/actions/button.tsx'
import { Link } from '#ui/actions/link.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { PageSpinner } from '#ui/feedback/spinner.tsx'
import { ErrorState } from '#ui/feedback/states.tsx'
import { FormError } from '#ui/fields/field.tsx'
import { TextField } from '#ui/fields/text-field.tsx'

/** The way in: an address to ask about, or whom to write to where no mail is set up. */
export function AskPage() {
  const { data: options, error, isFetching, refetch } = useQuery(signInOptionsQuery)
  return (
    <>
      <PageHeader title="Privacy" />
      <p className="mb-6">
        Storedex holds business contacts of online stores: names, roles, email addresses and phone numbers of people who
        work there. You can see what is held about you, and have it erased.
      </p>
      {error ? (
        <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
      ) : !options ? (
        <PageSpinner />
      ) : options.mail ? (
        <AskForm />
      ) : (
        <Contact contact={options.privacy_contact} />
      )}
    </>
  )
}

function AskForm() {
  const [email, setEmail] = useState('')
  const [isSent, setIsSent] = useState(false)
  const { submit, isPending, failure } = useSubmit(async () => {
    setIsSent(false)
    await call('askForPrivacyLink', { body: { email: email.trim() } })
    setIsSent(true)
  })
  const emailError = fieldError(failure, 'email')
  return (
    <form onSubmit={submit}>
      <TextField
        label="Email"
        description="The link goes to this address, so that only you see what is held about you."
        type="email"
        autoComplete="email"
        value={email}
        onChange={setEmail}
        errorMessage={emailError}
        maxLength={254}
        isRequired
      />
      <FormError>{failure !== undefined && !emailError && messageOf(failure)}</FormError>
      <div className="mt-4">
        <Button type="submit" variant="primary" isPending={isPending}>
          Send me a link
        </Button>
      </div>
      {isSent && (
        <div className="mt-6">
          <Banner isAnnounced>
            Look into your mailbox: a link is on its way. It works for one hour. If none comes, look into the spam
            folder; a mailbox gets at most three links an hour.
          </Banner>
        </div>
      )}
    </form>
  )
}

/** Where no mail is set up, a person has to answer. */
function Contact({ contact }: { contact: string | null }) {
  if (contact === null)
    return <p>Please write to the operator of this address. They can tell you what is held, and erase it.</p>
  return (
    <p>
      Please write to{' '}
      <Link href={contact.startsWith('https://') ? contact : `mailto:${contact}`} isExternal>
        {contact}
      </Link>
      . They can tell you what is held, and erase it.
    </p>
  )
}
