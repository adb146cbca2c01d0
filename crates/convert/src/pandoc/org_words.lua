-- Keywords and tags of Org headlines as words: the writers of Markdown would give them as HTML elements.
function Span(span)
  local classes = span.classes
  if classes:includes("todo") or classes:includes("done") then
    return span.content
  end
  if classes:includes("tag") then
    return pandoc.Code(span.attributes["tag-name"])
  end
end
