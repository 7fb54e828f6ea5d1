import { Outlet, useLocation } from '@tanstack/react-router'
import { useAccounts, useIsAtLeast } from '#api/account.tsx'
import { LinkTabs } from '#ui/data/tabs.tsx'

const ownTabs = [
  { href: '/account/profile', label: 'Profile' },
  { href: '/account/sessions', label: 'Sessions' },
]

/** Tabs of the account, and of the user in every account. */
export default function AccountLayout() {
  const { pathname } = useLocation()
  const { current } = useAccounts()
  const isAdmin = useIsAtLeast('admin')
  const tabs = [
    ...(current ? [{ href: '/account/members', label: 'Members' }] : []),
    ...ownTabs,
    ...(current ? [{ href: '/account/settings', label: 'Settings' }] : []),
    ...(current && isAdmin ? [{ href: '/account/audit', label: 'Audit log' }] : []),
  ]
  return (
    <>
      <LinkTabs label="Account" tabs={tabs} current={pathname} />
      <Outlet />
    </>
  )
}
