// Texts of the profile page.

export const profile = {
  title: 'Profile',
  name: 'Name',
  username: 'Username',
  role: { admin: 'Administrator of this hub', user: 'User' },
  displayName: 'Display name',
  displayNameHint: 'The name others see. Your username does not change.',
  save: 'Save',
  saved: 'Name saved.',
  password: 'Password',
  oldPassword: 'Current password',
  newPassword: 'New password',
  change: 'Change password',
  changed: 'Password changed. Your other sessions have ended.',
  incorrectPassword: 'The current password is incorrect.',
  appearance: 'Appearance',
  sessions: 'This device',
  sessionsText: 'Signing out signs you out in every tab that shares this session.',
  otherSessions: 'View other sessions',
};
