import { ExternalLink, Mail, Phone } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Contact } from '#api/catalogue.ts'
import { CopyButton } from '#ui/actions/copy-button.tsx'
import { Link } from '#ui/actions/link.tsx'

interface ChannelsProps {
  contact: Pick<Contact, 'emails' | 'phones' | 'profile_url'>
}

/** Ways to reach a contact: each opens what the reader uses for it, and can be copied. */
export function Channels({ contact: { emails, phones, profile_url } }: ChannelsProps) {
  return (
    <ul className="flex min-w-0 flex-col gap-0.5">
      {emails.map(({ email, status }) => (
        <Channel key={email} icon={<Mail aria-hidden />} text={email} copyLabel={`Copy ${email}`}>
          <Link isPlain href={`mailto:${encodeURIComponent(email).replace('%40', '@')}`}>
            {email}
          </Link>
          {status !== 'verified' && <span className="text-muted text-xs"> {status.replaceAll('_', ' ')}</span>}
        </Channel>
      ))}
      {phones.map(({ phone }) => (
        <Channel key={phone} icon={<Phone aria-hidden />} text={phone} copyLabel={`Copy ${phone}`}>
          <Link isPlain href={`tel:${phone.replaceAll(/[^+\d]/g, '')}`}>
            {phone}
          </Link>
        </Channel>
      ))}
      {profile_url && (
        <Channel icon={<ExternalLink aria-hidden />} text={profile_url} copyLabel="Copy the address of the profile">
          {isWebAddress(profile_url) ? (
            <Link isPlain href={profile_url} isExternal>
              {profile_url.replace(/^https?:\/\/(www\.)?/, '')}
            </Link>
          ) : (
            profile_url
          )}
        </Channel>
      )}
    </ul>
  )
}

interface ChannelProps {
  icon: ReactNode
  text: string
  copyLabel: string
  children: ReactNode
}

function Channel({ icon, text, copyLabel, children }: ChannelProps) {
  return (
    <li className="flex min-h-6 items-center gap-2 [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-muted">
      {icon}
      <bdi className="min-w-0 wrap-anywhere">{children}</bdi>
      <CopyButton text={text} label={copyLabel} isQuiet className="text-muted!" />
    </li>
  )
}

/** An import may have stored anything; only these are links. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text)
}
