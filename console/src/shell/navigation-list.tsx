import { Link } from '@tanstack/react-router'
import { useSession } from '#api/session.ts'
import { docsLink, navigation, operatorNavigation } from './navigation.ts'

const itemClass =
  'flex h-8 items-center gap-2.5 rounded-md px-2 text-muted hover:bg-hover hover:text-text pointer-coarse:h-11 ' +
  'aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-text [&_svg]:size-4'

/** The links to all pages; `onNavigate` closes the drawer on a phone. */
export function NavigationList({ onNavigate }: { onNavigate?: () => void }) {
  const { person } = useSession()
  const items = [...navigation, ...(person.operator ? operatorNavigation : [])]
  return (
    <nav aria-label="Main">
      <ul className="space-y-0.5">
        {items.map(({ to, label, icon: Icon }) => (
          <li key={to}>
            <Link to={to} onClick={onNavigate} className={itemClass} activeOptions={{ includeSearch: false }}>
              <Icon aria-hidden />
              {label}
            </Link>
          </li>
        ))}
        <li>
          <a href={docsLink.href} className={itemClass}>
            <docsLink.icon aria-hidden />
            {docsLink.label}
          </a>
        </li>
      </ul>
    </nav>
  )
}
