import { Link } from '@tanstack/react-router'
import { Check, Mail, Phone, UserRound } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Contact, ContactPreview } from '#api/catalogue.ts'
import { Channels } from './channels.tsx'

/** The full name of a revealed contact; of others, the name of the preview: `Mara L***`. */
export function nameOf(preview: ContactPreview, contact: Contact | undefined): string {
  const { first_name, last_name_obfuscated } = preview
  return contact?.full_name ?? ([first_name, last_name_obfuscated].filter(Boolean).join(' ') || 'Without a name')
}

interface PreviewCellProps {
  preview: ContactPreview
  /** The same contact with what the account has paid for, once that has come. */
  contact: Contact | undefined
}

/** The contact's name, in full once it is revealed, a mark if it is revealed, and the title below. */
export function ContactCell({ preview, contact }: PreviewCellProps) {
  const { title, revealed, store } = contact ? { ...preview, title: contact.title } : preview
  return (
    <>
      <span className="flex flex-wrap items-center gap-x-2">
        <bdi className="min-w-0 font-medium wrap-anywhere">{nameOf(preview, contact)}</bdi>
        {revealed && (
          <Link
            to="/revealed"
            search={{ store: store.domain }}
            className="inline-flex items-center gap-0.5 rounded-sm text-success-text text-xs underline-offset-2 hover:underline"
          >
            <Check aria-hidden className="size-3.5" />
            Revealed
          </Link>
        )}
      </span>
      {title && (
        <span className="line-clamp-2 text-muted text-xs wrap-anywhere" dir="auto">
          {title}
        </span>
      )}
    </>
  )
}

/** The channels that the account has paid for; of others, which are on file. */
export function renderChannels(preview: ContactPreview, contact: Contact | undefined): ReactNode {
  if (contact) return <Channels contact={contact} />
  const kinds = [
    { label: 'Verified email', has: preview.has_verified_email, icon: Mail },
    { label: 'Phone', has: preview.has_phone, icon: Phone },
    { label: 'Profile', has: preview.has_profile, icon: UserRound },
  ]
  const present = kinds.filter(({ has }) => has)
  if (present.length === 0)
    return <span className="text-muted text-xs">{preview.revealable ? 'email, not verified' : 'none'}</span>
  return (
    <span className="flex min-h-5 items-center gap-2" title={present.map(({ label }) => label).join(', ')}>
      {kinds.map(({ label, has, icon: Icon }) => (
        <span key={label} className="size-4 max-sm:empty:hidden">
          {has && (
            <>
              <Icon aria-hidden className="size-4 text-muted" />
              <span className="sr-only">{label}</span>
            </>
          )}
        </span>
      ))}
    </span>
  )
}
