import { Link } from '@tanstack/react-router'
import { Check, Mail, Phone, UserRound } from 'lucide-react'
import type { ContactPreview } from '#api/catalogue.ts'
import { plainLinkClass } from '#ui/actions/link.tsx'

/** `Mara L***`: as much of the name as a preview tells. */
export function previewName({ first_name, last_name_obfuscated }: ContactPreview): string {
  return [first_name, last_name_obfuscated].filter(Boolean).join(' ') || 'Without a name'
}

/** Who somebody is: the name, and the title below it. */
export function PersonCell({ preview }: { preview: ContactPreview }) {
  return (
    <>
      <span className="block font-medium wrap-anywhere" dir="auto">
        {previewName(preview)}
      </span>
      {preview.title && (
        <span className="line-clamp-2 text-muted text-xs wrap-anywhere" dir="auto">
          {preview.title}
        </span>
      )}
    </>
  )
}

/** Which channels are on file. */
export function ChannelsCell({ preview }: { preview: ContactPreview }) {
  const kinds = [
    { label: 'Verified email', has: preview.has_verified_email, icon: Mail },
    { label: 'Phone', has: preview.has_phone, icon: Phone },
    { label: 'Profile', has: preview.has_profile, icon: UserRound },
  ]
  const present = kinds.filter(({ has }) => has)
  return (
    <span className="flex gap-2" title={present.map(({ label }) => label).join(', ')}>
      {kinds.map(({ label, has, icon: Icon }) => (
        <span key={label} className="size-4">
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

/** The way to the channels of somebody whom the account has revealed. */
export function RevealedCell({ preview: { revealed, store } }: { preview: ContactPreview }) {
  if (!revealed) return null
  return (
    <Link
      to="/revealed"
      search={{ store: store.domain }}
      className={`${plainLinkClass} inline-flex items-center gap-1 whitespace-nowrap`}
    >
      <Check aria-hidden className="size-4" />
      Revealed
    </Link>
  )
}
