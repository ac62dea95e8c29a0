// Notifications of the operating system, and the page that takes a browser to the inbox.

export const notificationText = {
  title: 'Assent',
  waiting: (count: number) => `${count} questions are waiting for you.`,
  answerAt: (url: string) => `Answer in your inbox: ${url}`,
  notShown: 'The notification of a question was not shown.',
}

/** @param target the address, escaped for an attribute */
export function redirectHtml(target: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${target}">
<title>Assent</title>
</head>
<body><p><a href="${target}">Open your inbox</a></p></body>
</html>
`
}

export const signInText = {
  tooManyLinks: 'Too many sign-in links are unused. Open one of them, or wait until they expire.',
}
