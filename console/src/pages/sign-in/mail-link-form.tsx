import { useState } from 'react'
import { call } from '#api/client.ts'
import { fieldError, messageOf } from '#api/failure.ts'
import { useSubmit } from '#lib/use-submit.ts'
import { Button } from '#ui/actions/button.tsx'
import { Link } from '#ui/actions/link.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { FormError } from '#ui/fields/field.tsx'
import { TextField } from '#ui/fields/text-field.tsx'

interface MailLinkFormProps {
  /** The purpose of the link: a new password, or a new account. */
  ask: 'password' | 'account'
}

/** Asks for a link by mail. The answer never tells whether the address is known. */
export function MailLinkForm({ ask }: MailLinkFormProps) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [accountName, setAccountName] = useState('')
  const [isSent, setIsSent] = useState(false)
  const { submit, isPending, failure } = useSubmit(async () => {
    if (ask === 'password') await call('requestPasswordLink', { body: { email } })
    else await call('signUp', { body: { email, name, account_name: accountName } })
    setIsSent(true)
  })
  if (isSent)
    return (
      <Banner isAnnounced>
        {ask === 'password'
          ? 'If this address belongs to somebody here, a link to set a new password is on its way. It works once, within an hour.'
          : 'A link to go on is on its way to this address. It works once, within an hour.'}
      </Banner>
    )
  const emailError = fieldError(failure, 'email')
  return (
    <form onSubmit={submit}>
      <div className="space-y-4">
        <TextField
          label="Email"
          type="email"
          autoComplete="email"
          value={email}
          onChange={setEmail}
          errorMessage={emailError}
          isRequired
          autoFocus
        />
        {ask === 'account' && (
          <>
            <TextField label="Your name" autoComplete="name" value={name} onChange={setName} isRequired />
            <TextField
              label="Account name"
              description="The company that searches and pays."
              autoComplete="organization"
              value={accountName}
              onChange={setAccountName}
              isRequired
            />
          </>
        )}
      </div>
      <FormError>{failure && !emailError ? messageOf(failure) : undefined}</FormError>
      <div className="mt-6 flex flex-col gap-3">
        <Button type="submit" variant="primary" isPending={isPending}>
          Send link
        </Button>
        <Link href="/sign-in">Back to signing in</Link>
      </div>
    </form>
  )
}
