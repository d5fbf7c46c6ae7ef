// Talking with the referee (JSON in, JSON out, errors as sentences) and building what the page shows.

/** Shows one clear line at the top of the page; an empty text takes it away. */
export function complain(text) {
  const complaint = document.getElementById("complaint");
  complaint.textContent = text;
  complaint.hidden = !text;
  if (text) complaint.scrollIntoView({ block: "nearest" });
}

/** What the server answers; throws an Error with the server's sentence, or one that says it cannot be reached. */
export async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("The referee cannot be reached: is nerts-referee still running?");
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    const error = new Error(said.error || `The referee failed (${answer.status}): look at its terminal.`);
    Object.assign(error, { status: answer.status, said });
    throw error;
  }
  return said;
}

/** Sends a file as it is, telling the share sent (0 to 1). */
export function upload(path, file, onShare) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    request.responseType = "json";
    request.upload.onprogress = (event) => event.lengthComputable && onShare(event.loaded / event.total);
    request.onload = () =>
      request.status < 400
        ? resolve(request.response)
        : reject(new Error(request.response?.error || `The referee failed (${request.status}).`));
    request.onerror = () => reject(new Error("The recording could not be sent: is the referee still running?"));
    request.send(file);
  });
}

/** Throws for a file that is larger than the form that takes it allows: it is not sent at all. */
export function mustFit(file, form) {
  const most = Number(form.dataset.mostMb);
  if (file.size > most * 1e6) {
    throw new Error(`${file.name} has ${Math.ceil(file.size / 1e6)} MB, more than ${most}: make it smaller.`);
  }
}

/** How many there are, as people say it: 1 card, 2 cards. */
export const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** An element with properties and children; `class`, `for` and aria- names go in as attributes. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Lets files be dropped on an element. */
export function takeDrops(element, onFiles) {
  for (const kind of ["dragenter", "dragover"]) {
    element.addEventListener(kind, (event) => {
      event.preventDefault();
      element.classList.add("over");
    });
  }
  for (const kind of ["dragleave", "drop"]) element.addEventListener(kind, () => element.classList.remove("over"));
  element.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) onFiles([...event.dataTransfer.files]);
  });
}

/** The cells of a table: heads, then rows of texts; `classes` by column. */
export function table(heads, rows, classes = []) {
  const cell = (kind, text, column) => make(kind, { className: classes[column] || "" }, text);
  const head = make("tr", {}, ...heads.map((text, column) => make("th", { scope: "col", className: classes[column] || "" }, text)));
  const body = rows.map((row) => make("tr", {}, ...row.map((text, column) => cell("td", text, column))));
  const whole = make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
  return make("div", { className: "wide", tabIndex: 0 }, whole); // scrolled by keys, too
}
