import { Outlet, useLocation } from '@tanstack/react-router'
import { LinkTabs } from '#ui/data/tabs.tsx'

const tabs = [
  { href: '/account/members', label: 'Members' },
  { href: '/account/sessions', label: 'Sessions' },
  { href: '/account/profile', label: 'Profile' },
  { href: '/account/audit', label: 'Audit log' },
]

export default function AccountLayout() {
  const { pathname } = useLocation()
  return (
    <>
      <LinkTabs label="Account" tabs={tabs} current={pathname} />
      <Outlet />
    </>
  )
}
